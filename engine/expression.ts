import { bounds } from "./document.ts";

/**
 * The arithmetic language of formula components [engine.formula-language]: a text parsed to a tree, and the tree's
 * value. Never JavaScript evaluation.
 *
 *   sum     = product { ("+" | "-") product }
 *   product = unary { ("*" | "/") unary }
 *   unary   = "-" unary | primary
 *   primary = number | name | call | "(" sum ")"
 *   call    = ("min" | "max") "(" sum { "," sum } ")" | ("floor" | "ceil" | "abs") "(" sum ")"
 *           | "round" "(" sum [ "," sum ] ")" | "if" "(" test "," sum "," sum ")"
 *   test    = sum [ ("<" | "<=" | ">" | ">=" | "==" | "!=") sum ]     without comparison: is not 0
 *   name    = a letter or "_", then letters, digits, "_" and "."; any other key in double quotes or braces:
 *             "room-width", {room width}
 *
 * A name is a number component, another formula, or a dimension's total, in that order. A function's name is one only
 * before "(". `round` takes a number of decimals (0..15, default 0), halves go up.
 */
export type Expression =
  | { kind: "number"; value: number }
  | { kind: "name"; name: string; at: number }
  | { kind: "negate"; of: Expression }
  | { kind: "binary"; op: Arithmetic; left: Expression; right: Expression }
  | { kind: "call"; fn: FunctionName; args: Expression[] }
  | { kind: "if"; test: Test; whenTrue: Expression; whenFalse: Expression };

type Arithmetic = "+" | "-" | "*" | "/";
type Comparison = "<" | "<=" | ">" | ">=" | "==" | "!=";
type FunctionName = "min" | "max" | "round" | "floor" | "ceil" | "abs";
interface Test {
  left: Expression;
  op: Comparison;
  right: Expression;
}

/** `at` counts UTF-16 units from 0. */
export type ParsedExpression = { ok: true; tree: Expression } | { ok: false; message: string; at: number };

interface Token {
  kind: "number" | "word" | "quoted" | "symbol" | "end";
  text: string;
  at: number;
}

const maxNesting = 50;
const arity: Record<FunctionName, { min: number; max: number }> = {
  min: { min: 1, max: 100 },
  max: { min: 1, max: 100 },
  round: { min: 1, max: 2 },
  floor: { min: 1, max: 1 },
  ceil: { min: 1, max: 1 },
  abs: { min: 1, max: 1 },
};

/** Sticky, one alternative a token kind. A number is read whole, so that `1e5` is one and `1 e5` is not. */
const tokenPattern =
  /(?<blank>\s+)|(?<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)|(?<word>[\p{L}_][\p{L}\p{N}_.]*)|"(?<quoted>[^"]+)"|\{(?<braced>[^{}]+)\}|(?<symbol><=|>=|==|!=|[-+*/(),<>])/uy;

class ExpressionError extends Error {
  readonly at: number;
  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

/** Parses an expression of at most 2,000 characters, nested at most 50 deep. Never throws. */
export function parseExpression(text: string): ParsedExpression {
  if (text.length > bounds.expression) return { ok: false, message: "is too long", at: bounds.expression };
  try {
    const parser = new Parser(tokens(text));
    return { ok: true, tree: parser.whole() };
  } catch (error) {
    if (error instanceof ExpressionError) return { ok: false, message: error.message, at: error.at };
    throw error;
  }
}

function tokens(text: string): Token[] {
  const found: Token[] = [];
  const pattern = new RegExp(tokenPattern);
  let at = 0;
  while (at < text.length) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) throw new ExpressionError(`does not understand "${text.slice(at, at + 1)}"`, at);
    const groups = match.groups ?? {};
    const { number, word, symbol } = groups;
    const quoted = groups["quoted"] ?? groups["braced"];
    if (number !== undefined) found.push({ kind: "number", text: number, at });
    else if (word !== undefined) found.push({ kind: "word", text: word, at });
    else if (quoted !== undefined) found.push({ kind: "quoted", text: quoted, at });
    else if (symbol !== undefined) found.push({ kind: "symbol", text: symbol, at });
    at = pattern.lastIndex;
  }
  found.push({ kind: "end", text: "the end", at: text.length });
  return found;
}

/** Recursive descent, one method a rule of the grammar above. */
class Parser {
  private readonly tokens: readonly Token[];
  private index = 0;
  private nesting = 0;

  constructor(list: readonly Token[]) {
    this.tokens = list;
  }

  whole(): Expression {
    const tree = this.sum();
    const rest = this.peek();
    if (rest.kind !== "end") throw new ExpressionError(`expects an operator before "${rest.text}"`, rest.at);
    return tree;
  }

  private peek(): Token {
    return this.tokens[this.index] ?? { kind: "end", text: "the end", at: 0 };
  }

  /** Takes the next token if it is one of these symbols. */
  private accept<Symbol extends string>(...symbols: Symbol[]): Symbol | null {
    const token = this.peek();
    const symbol = token.kind === "symbol" ? symbols.find((candidate) => candidate === token.text) : undefined;
    if (symbol !== undefined) this.index += 1;
    return symbol ?? null;
  }

  private expect(symbol: string): void {
    const token = this.peek();
    if (this.accept(symbol) === null) throw new ExpressionError(`expects "${symbol}" before "${token.text}"`, token.at);
  }

  private sum(): Expression {
    let left = this.product();
    for (let op = this.accept("+", "-"); op !== null; op = this.accept("+", "-")) {
      left = { kind: "binary", op, left, right: this.product() };
    }
    return left;
  }

  private product(): Expression {
    let left = this.unary();
    for (let op = this.accept("*", "/"); op !== null; op = this.accept("*", "/")) {
      left = { kind: "binary", op, left, right: this.unary() };
    }
    return left;
  }

  private unary(): Expression {
    this.nesting += 1;
    if (this.nesting > maxNesting) throw new ExpressionError(`is nested more than ${maxNesting} deep`, this.peek().at);
    const tree: Expression = this.accept("-") === null ? this.primary() : { kind: "negate", of: this.unary() };
    this.nesting -= 1;
    return tree;
  }

  private primary(): Expression {
    const token = this.peek();
    if (this.accept("(") !== null) {
      const inner = this.sum();
      this.expect(")");
      return inner;
    }
    this.index += 1;
    if (token.kind === "number") return literal(token);
    if (token.kind === "quoted") return { kind: "name", name: token.text, at: token.at };
    if (token.kind !== "word") {
      throw new ExpressionError(`expects a number or a name before "${token.text}"`, token.at);
    }
    return this.accept("(") === null ? { kind: "name", name: token.text, at: token.at } : this.call(token);
  }

  /** A call whose name and opening parenthesis were read. */
  private call(name: Token): Expression {
    if (name.text === "if") {
      const test = this.test();
      this.expect(",");
      const whenTrue = this.sum();
      this.expect(",");
      const whenFalse = this.sum();
      this.expect(")");
      return { kind: "if", test, whenTrue, whenFalse };
    }
    if (!isFunctionName(name.text)) throw new ExpressionError(`has no function "${name.text}"`, name.at);
    const args = [this.sum()];
    while (this.accept(",") !== null) args.push(this.sum());
    this.expect(")");
    const { min, max } = arity[name.text];
    if (args.length < min || args.length > max) {
      throw new ExpressionError(`gives "${name.text}" ${args.length} values`, name.at);
    }
    return { kind: "call", fn: name.text, args };
  }

  private test(): Test {
    const left = this.sum();
    const op = this.accept("<", "<=", ">", ">=", "==", "!=");
    return op === null ? { left, op: "!=", right: { kind: "number", value: 0 } } : { left, op, right: this.sum() };
  }
}

function literal(token: Token): Expression {
  const value = Number(token.text);
  if (!Number.isFinite(value)) throw new ExpressionError("has a number that is too large", token.at);
  return { kind: "number", value };
}

function isFunctionName(text: string): text is FunctionName {
  return Object.hasOwn(arity, text);
}

/**
 * The tree's value, or null = no value: a name without one where it is needed (only the branch that an `if` takes is),
 * a division by zero, a result that is not finite.
 */
export function evaluateExpression(tree: Expression, lookUp: (name: string) => number | null): number | null {
  const value = evaluate(tree, lookUp);
  // Adding 0 turns -0, which a shopper would be shown as "-0", into 0.
  return value === null ? null : value + 0;
}

function evaluate(tree: Expression, lookUp: (name: string) => number | null): number | null {
  switch (tree.kind) {
    case "number":
      return tree.value;
    case "name":
      return finite(lookUp(tree.name));
    case "negate": {
      const value = evaluate(tree.of, lookUp);
      return value === null ? null : -value;
    }
    case "binary": {
      const left = evaluate(tree.left, lookUp);
      const right = left === null ? null : evaluate(tree.right, lookUp);
      return left === null || right === null ? null : finite(arithmetic(tree.op, left, right));
    }
    case "if": {
      const left = evaluate(tree.test.left, lookUp);
      const right = left === null ? null : evaluate(tree.test.right, lookUp);
      if (left === null || right === null) return null;
      return evaluate(compares(tree.test.op, left, right) ? tree.whenTrue : tree.whenFalse, lookUp);
    }
    case "call": {
      const args: number[] = [];
      for (const part of tree.args) {
        const value = evaluate(part, lookUp);
        if (value === null) return null;
        args.push(value);
      }
      return finite(call(tree.fn, args));
    }
  }
}

/** Division by zero is not finite, 0 / 0 included, and so becomes no value. */
function arithmetic(op: Arithmetic, left: number, right: number): number {
  if (op === "+") return left + right;
  if (op === "-") return left - right;
  return op === "*" ? left * right : left / right;
}

function compares(op: Comparison, left: number, right: number): boolean {
  if (op === "<") return left < right;
  if (op === "<=") return left <= right;
  if (op === ">") return left > right;
  if (op === ">=") return left >= right;
  return op === "==" ? left === right : left !== right;
}

function call(fn: FunctionName, args: number[]): number {
  const [first = Number.NaN, second = 0] = args;
  if (fn === "min") return Math.min(...args);
  if (fn === "max") return Math.max(...args);
  if (fn === "floor") return Math.floor(first);
  if (fn === "ceil") return Math.ceil(first);
  return fn === "abs" ? Math.abs(first) : roundTo(first, second);
}

/** By shifting the decimal exponent in text: `1.005 * 100` is 100.49999999999999, `Number("1.005e2")` is 100.5. */
function roundTo(value: number, decimals: number): number {
  if (!Number.isInteger(decimals) || decimals < 0 || decimals > 15) return Number.NaN;
  if (decimals === 0) return Math.round(value);
  const [digits = "0", exponent = "0"] = String(value).split("e");
  const shifted = Math.round(Number(`${digits}e${Number(exponent) + decimals}`));
  const [roundedDigits = "0", roundedExponent = "0"] = String(shifted).split("e");
  return Number(`${roundedDigits}e${Number(roundedExponent) - decimals}`);
}

function finite(value: number | null): number | null {
  return value !== null && Number.isFinite(value) ? value : null;
}

/** Every name in the tree, with repeats and where each stands. */
export function namesIn(tree: Expression): { name: string; at: number }[] {
  switch (tree.kind) {
    case "number":
      return [];
    case "name":
      return [{ name: tree.name, at: tree.at }];
    case "negate":
      return namesIn(tree.of);
    case "binary":
      return [...namesIn(tree.left), ...namesIn(tree.right)];
    case "if":
      return [tree.test.left, tree.test.right, tree.whenTrue, tree.whenFalse].flatMap(namesIn);
    case "call":
      return tree.args.flatMap(namesIn);
  }
}
