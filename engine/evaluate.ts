/** Evaluates expressions. Browsers receive parsed trees [engine.formula-language]. */

/**
 * A number, a name, or an operator followed by its operands: `["+", "age", 1]`. A comparison has two more parts: the
 * result if it holds, and the result if it does not. Trees contain nothing else, because browsers download them.
 */
export type Expression = number | string | readonly [Operator, ...Expression[]];

export type Comparison = keyof typeof comparisons;
export type Operator = keyof typeof operators | Comparison;

const operators = {
  "+": (left: number, right: number) => left + right,
  "-": (left: number, right: number) => left - right,
  "*": (left: number, right: number) => left * right,
  // Division by zero, including 0 / 0, is not finite and so gives no value.
  "/": (left: number, right: number) => left / right,
  negate: (value: number) => -value,
  min: Math.min,
  max: Math.max,
  floor: Math.floor,
  ceil: Math.ceil,
  abs: Math.abs,
  round: roundTo,
} satisfies Record<string, (...values: number[]) => number>;

const comparisons = {
  "<": (left: number, right: number) => left < right,
  "<=": (left: number, right: number) => left <= right,
  ">": (left: number, right: number) => left > right,
  ">=": (left: number, right: number) => left >= right,
  "==": (left: number, right: number) => left === right,
  "!=": (left: number, right: number) => left !== right,
};

const isComparison = (operator: string): operator is Comparison => Object.hasOwn(comparisons, operator);

/**
 * The tree's value, or null for no value: a needed name has none (an `if` needs only the branch that it takes), a
 * division by zero, a result that is not finite.
 */
export function evaluateExpression(tree: Expression, lookUp: (name: string) => number | null): number | null {
  const value = evaluate(tree, lookUp);
  // Adding 0 turns -0, which would be shown as "-0", into 0.
  return value === null ? null : value + 0;
}

function evaluate(tree: Expression, lookUp: (name: string) => number | null): number | null {
  if (typeof tree === "number") return tree;
  if (typeof tree === "string") return finite(lookUp(tree));
  const [operator, ...parts] = tree;
  const isTest = isComparison(operator);
  const values: number[] = [];
  for (const part of isTest ? parts.slice(0, 2) : parts) {
    const value = evaluate(part, lookUp);
    if (value === null) return null;
    values.push(value);
  }
  if (!isTest) {
    const apply: (...values: number[]) => number = operators[operator];
    return finite(apply(...values));
  }
  const [left = 0, right = 0] = values;
  const [, , whenTrue = 0, whenFalse = 0] = parts;
  return evaluate(comparisons[operator](left, right) ? whenTrue : whenFalse, lookUp);
}

/** Shifts the decimal exponent in text: `1.005 * 100` is 100.49999999999999, `Number("1.005e2")` is 100.5. */
function roundTo(value: number, decimals = 0): number {
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
