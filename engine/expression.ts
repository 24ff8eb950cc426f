import { bounds, type FormulaComponent } from "./document.ts";
import type { Comparison, Expression } from "./evaluate.ts";

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

/** `at` counts UTF-16 units from 0. */
export type ParsedExpression =
  | { ok: true; tree: Expression /** with repeats */; names: readonly PlacedName[] }
  | { ok: false; message: string; at: number };

interface PlacedName {
  name: string;
  at: number;
}

interface Token {
  kind: "number" | "word" | "quoted" | "symbol" | "end";
  text: string;
  at: number;
}

const maxNesting = 50;
const arity = {
  min: { min: 1, max: 100 },
  max: { min: 1, max: 100 },
  round: { min: 1, max: 2 },
  floor: { min: 1, max: 1 },
  ceil: { min: 1, max: 1 },
  abs: { min: 1, max: 1 },
} as const;

/**
 * Sticky, one alternative per kind of token. A number is matched as a whole, so that `1e5` is one and `1 e5` is not.
 */
const tokenPattern =
  /\s+|((?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)|([\p{L}_][\p{L}\p{N}_.]*)|"([^"]+)"|\{([^{}]+)\}|(<=|>=|==|!=|[-+*/(),<>])/uy;

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
    return { ok: true, tree: parser.whole(), names: parser.names };
  } catch (error) {
    if (error instanceof ExpressionError) return { ok: false, message: error.message, at: error.at };
    throw error;
  }
}

const parsed = new WeakMap<FormulaComponent, ParsedExpression>();

/** A formula's expression, parsed once for all who look at the same document. */
export function parseFormula(formula: FormulaComponent): ParsedExpression {
  const known = parsed.get(formula) ?? parseExpression(formula.expression);
  parsed.set(formula, known);
  return known;
}

function tokens(text: string): Token[] {
  const found: Token[] = [];
  let at = 0;
  while (at < text.length) {
    tokenPattern.lastIndex = at;
    const match = tokenPattern.exec(text);
    if (match === null) throw new ExpressionError(`does not understand "${text.slice(at, at + 1)}"`, at);
    // groups without names take a third of the time
    const [, number, word, inQuotes, inBraces, symbol] = match;
    const quoted = inQuotes ?? inBraces;
    if (number !== undefined) found.push({ kind: "number", text: number, at });
    else if (word !== undefined) found.push({ kind: "word", text: word, at });
    else if (quoted !== undefined) found.push({ kind: "quoted", text: quoted, at });
    else if (symbol !== undefined) found.push({ kind: "symbol", text: symbol, at });
    at = tokenPattern.lastIndex;
  }
  found.push({ kind: "end", text: "the end", at: text.length });
  return found;
}

/** Recursive descent, one method per rule of the grammar above. */
class Parser {
  readonly names: PlacedName[] = [];
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
      left = [op, left, this.product()];
    }
    return left;
  }

  private product(): Expression {
    let left = this.unary();
    for (let op = this.accept("*", "/"); op !== null; op = this.accept("*", "/")) {
      left = [op, left, this.unary()];
    }
    return left;
  }

  private unary(): Expression {
    this.nesting += 1;
    if (this.nesting > maxNesting) throw new ExpressionError(`is nested more than ${maxNesting} deep`, this.peek().at);
    const tree: Expression = this.accept("-") === null ? this.primary() : ["negate", this.unary()];
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
    if (token.kind === "quoted") return this.name(token);
    if (token.kind !== "word") {
      throw new ExpressionError(`expects a number or a name before "${token.text}"`, token.at);
    }
    return this.accept("(") === null ? this.name(token) : this.call(token);
  }

  private name({ text, at }: Token): Expression {
    this.names.push({ name: text, at });
    return text;
  }

  /** The rest of a call, after its name and opening parenthesis. */
  private call(name: Token): Expression {
    if (name.text === "if") {
      const [comparison, left, right] = this.test();
      this.expect(",");
      const whenTrue = this.sum();
      this.expect(",");
      const whenFalse = this.sum();
      this.expect(")");
      return [comparison, left, right, whenTrue, whenFalse];
    }
    if (!isFunctionName(name.text)) throw new ExpressionError(`has no function "${name.text}"`, name.at);
    const args = [this.sum()];
    while (this.accept(",") !== null) args.push(this.sum());
    this.expect(")");
    const { min, max } = arity[name.text];
    if (args.length < min || args.length > max) {
      throw new ExpressionError(`gives "${name.text}" ${args.length} values`, name.at);
    }
    return [name.text, ...args];
  }

  private test(): [Comparison, Expression, Expression] {
    const left = this.sum();
    const comparison = this.accept("<", "<=", ">", ">=", "==", "!=");
    return comparison === null ? ["!=", left, 0] : [comparison, left, this.sum()];
  }
}

function literal(token: Token): Expression {
  const value = Number(token.text);
  if (!Number.isFinite(value)) throw new ExpressionError("has a number that is too large", token.at);
  return value;
}

function isFunctionName(text: string): text is keyof typeof arity {
  return Object.hasOwn(arity, text);
}
