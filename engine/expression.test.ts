import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluateExpression } from "./evaluate.ts";
import { parseExpression } from "./expression.ts";

const values: Record<string, number> = {
  a: 3,
  b: -2.5,
  zero: 0,
  "room-width": 4,
  "two words": 7,
  min: 9,
  größe: 1,
  "x.y": 5,
};

function resultOf(text: string): number | null | string {
  const parsed = parseExpression(text);
  if (!parsed.ok) return `${parsed.message} @${parsed.at}`;
  return evaluateExpression(parsed.tree, (name) => (Object.hasOwn(values, name) ? (values[name] ?? null) : null));
}

interface Model {
  text: string;
  value: number | null;
}

/** Texts built together with what they mean, each step computed directly. */
const model: fc.Arbitrary<Model> = fc.letrec<{ node: Model }>((tie) => {
  const node = tie("node");
  const both = (a: Model, b: Model, make: (x: number, y: number) => number): number | null => {
    const made = a.value === null || b.value === null ? Number.NaN : make(a.value, b.value);
    return Number.isFinite(made) ? made : null;
  };
  const binary = (op: string, make: (x: number, y: number) => number): fc.Arbitrary<Model> =>
    fc.tuple(node, node).map(([a, b]) => ({ text: `(${a.text}${op}${b.text})`, value: both(a, b, make) }));
  const chosen = (op: string, test: (x: number, y: number) => boolean): fc.Arbitrary<Model> =>
    fc.tuple(node, node, node, node).map(([a, b, c, d]) => {
      const known = a.value !== null && b.value !== null;
      const value = known ? (test(a.value as number, b.value as number) ? c.value : d.value) : null;
      return { text: `if ( ${a.text} ${op} ${b.text}, ${c.text} ,${d.text})`, value };
    });
  const unary = (make: (x: number) => number, text: (inner: string) => string): fc.Arbitrary<Model> =>
    node.map((a) => ({ text: text(a.text), value: a.value === null ? null : make(a.value) }));
  return {
    node: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.integer({ min: 0, max: 20 }).map((n) => ({ text: String(n / 4), value: n / 4 })),
      fc.constantFrom("a", "b", "zero", "größe", "x.y").map((name) => ({ text: name, value: values[name] ?? null })),
      fc.constantFrom("room-width", "two words").map((name) => ({ text: `{${name}}`, value: values[name] ?? null })),
      fc.constant({ text: "missing", value: null }),
      binary("+", (x, y) => x + y),
      binary(" - ", (x, y) => x - y),
      binary("*", (x, y) => x * y),
      binary("/", (x, y) => (y === 0 ? Number.NaN : x / y)),
      fc.tuple(node, node).map(([a, b]) => ({ text: `min(${a.text},${b.text})`, value: both(a, b, Math.min) })),
      fc.tuple(node, node).map(([a, b]) => ({ text: `max(${a.text},${b.text})`, value: both(a, b, Math.max) })),
      unary(
        (x) => -x,
        (inner) => `-${inner}`,
      ),
      unary(Math.abs, (inner) => `abs(${inner})`),
      unary(Math.floor, (inner) => `floor(${inner})`),
      unary(Math.ceil, (inner) => `ceil(${inner})`),
      unary(Math.round, (inner) => `round(${inner})`),
      chosen("<", (x, y) => x < y),
      chosen("<=", (x, y) => x <= y),
      chosen(">", (x, y) => x > y),
      chosen(">=", (x, y) => x >= y),
      chosen("==", (x, y) => x === y),
      chosen("!=", (x, y) => x !== y),
    ),
  };
}).node;

describe("formula expressions [engine.formula-language]", () => {
  it.each([
    ["1 + 2 * 3", 7],
    ["(1 + 2) * 3", 9],
    ["10 - 2 - 3", 5],
    ["12 / 2 / 3", 2],
    ["-a * -2", 6],
    ["--a", 3],
    ["2 * -a", -6],
    ['"room-width" * {two words}', 28],
    ["min + min(4, 5)", 13],
    ["min(3)", 3],
    ["max(1, a, 2)", 3],
    ["round(2.5)", 3],
    ["round(1.005, 2)", 1.01],
    ["round(-1.234, 1)", -1.2],
    ["1e2 + .5 + 2.", 102.5],
    ["if(a >= 3, 1, 2)", 1],
    ["if(zero, 1, 2)", 2],
    ["if(zero == 0, a, 1 / 0)", 3],
    ["if(a, 5, nothing)", 5],
  ])("computes %s = %s", (text, value) => {
    expect(resultOf(text)).toBe(value);
  });

  it.each([
    "1 / 0",
    "0 / 0",
    "a / (b + 2.5)",
    "nothing + 1",
    "0 * nothing",
    "if(nothing > 1, 2, 3)",
    "1e308 * 10",
    "round(1, 99)",
    "round(1, .5)",
  ])("has no value for %s [engine.formulas]", (text) => {
    expect(resultOf(text)).toBeNull();
  });

  it("gives 0, never negative zero", () => {
    expect(Object.is(resultOf("-zero"), 0)).toBe(true);
  });

  it.each([
    ["", 'expects a number or a name before "the end" @0'],
    ["1 +", 'expects a number or a name before "the end" @3'],
    ["1 2", 'expects an operator before "2" @2'],
    ["(1", 'expects ")" before "the end" @2'],
    ["a > 2", 'expects an operator before ">" @2'],
    ["sqrt(2)", 'has no function "sqrt" @0'],
    ["abs(1, 2)", 'gives "abs" 2 values @0'],
    ["max()", 'expects a number or a name before ")" @4'],
    ["if(1, 2)", 'expects "," before ")" @7'],
    ["a; process.exit()", 'does not understand ";" @1'],
    ["`x`", 'does not understand "`" @0'],
    ['"open', 'does not understand """ @0'],
    ["1e999", "has a number that is too large @0"],
  ])("refuses %j", (text, message) => {
    expect(resultOf(text)).toBe(message);
  });

  it("has no function of JavaScript's", () => {
    for (const name of ["constructor", "toString", "__proto__", "eval", "hasOwnProperty"]) {
      expect(parseExpression(`${name}(1)`)).toMatchObject({ ok: false, message: `has no function "${name}"` });
    }
  });

  it("bounds length and depth, and no more [engine.formula-language]", () => {
    expect(parseExpression("1".repeat(2001)).ok).toBe(false);
    expect(parseExpression(`${"(".repeat(60)}1${")".repeat(60)}`)).toMatchObject({ ok: false });
    expect(parseExpression(`${"-".repeat(60)}1`)).toMatchObject({ ok: false });
    expect(resultOf(`${"1+".repeat(999)}1`)).toBe(1000);
  });

  it("agrees with a direct computation", () => {
    fc.assert(
      fc.property(model, ({ text, value }) => {
        fc.pre(text.length <= 2000);
        expect(resultOf(text)).toBe(value === null ? null : value + 0);
      }),
      { numRuns: 500 },
    );
  });

  it("never throws, whatever the text", () => {
    const token = fc.constantFrom(
      "(",
      ")",
      ",",
      "if",
      "min",
      "a",
      "1",
      ".",
      "<",
      "=",
      "==",
      "-",
      "*",
      '"',
      "{",
      "}",
      " ",
      "\n",
      "ä",
      "🙂",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "binary" }),
          fc.array(token).map((parts) => parts.join("")),
        ),
        (text) => {
          const value = resultOf(text);
          expect(value === null || typeof value === "string" || Number.isFinite(value)).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });
});
