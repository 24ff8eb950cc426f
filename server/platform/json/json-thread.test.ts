import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { JsonThread } from "./json-thread.ts";
import { Assembly, type Step, stepsOf } from "./pieces.ts";
import { JsonFault, readJson } from "./read-json.ts";

const thread = new JsonThread();
afterAll(() => thread.close());

const none = Number.POSITIVE_INFINITY;
const rules = { nul: false, maxFields: none, maxValues: none, digits: "number" } as const;
const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value));
const large = (value: unknown) => [value, "x".repeat(300_000)];

function rebuilt(value: unknown): { value: unknown; steps: Step[] } {
  const assembly = new Assembly();
  const steps = [...stepsOf(value)];
  // as it comes from another thread
  for (const step of steps) assembly.take(structuredClone(step));
  return { value: assembly.value, steps };
}

/** Values in a step, at any depth. */
function sizeOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((sum: number, entry) => sum + sizeOf(entry), 1);
}

describe("a large JSON text", () => {
  it("is the same value as if it was parsed at once, whatever it contains [api.turns]", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 6 }), async (value) => {
        const text = bytesOf(large(value));
        expect(await thread.parse(text, rules)).toEqual(readJson(text, rules));
      }),
      { numRuns: 40 },
    );
    const odd = '{"__proto__":{"a":1},"constructor":[],"":{"":null},"7":1,"a":{"__proto__":2}}';
    const text = Buffer.from(`[${odd},"${"x".repeat(300_000)}"]`);
    const [parsed] = (await thread.parse(text, rules)) as object[];
    expect(JSON.stringify(parsed)).toBe(JSON.stringify(JSON.parse(odd)));
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
  });

  it("is handed over in steps of bounded size [api.turns]", () => {
    const values = [
      Array.from({ length: 100_000 }, (_, index) => index),
      Array.from({ length: 30_000 }, () => []),
      Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`k${index}`, { a: [index] }])),
      { a: { b: { c: Array.from({ length: 500 }, () => "x".repeat(2_000)) } } },
      Array.from({ length: 40 }, () => Array.from({ length: 2_000 }, () => ({ a: 1 }))),
      "x",
      null,
      [],
    ];
    for (const value of values) {
      const { value: built, steps } = rebuilt(value);
      expect(built).toEqual(value);
      expect(Math.max(...steps.map(sizeOf))).toBeLessThan(21_000);
      expect(Math.max(...steps.map((step) => JSON.stringify(step).length))).toBeLessThan(600_000);
    }
  });

  it("leaves turns of the event loop to others while it is parsed and taken over [api.turns]", async () => {
    const text = bytesOf(Array.from({ length: 200_000 }, (_, index) => ({ id: index })));
    let turns = 0;
    const watch = setInterval(() => (turns += 1), 0);
    const parsed = await thread.parse(text, rules);
    clearInterval(watch);
    expect(parsed).toHaveLength(200_000);
    expect(turns).toBeGreaterThan(10);
  });

  it("is refused for what a small one is refused for, and the next is parsed [api.body-bounds, orders.digits]", async () => {
    const faults: [string, object, RegExp][] = [
      ["{".repeat(100), {}, /64 levels/],
      ["[", {}, /is not valid JSON/],
      ['{"a":1,"b":2}', { maxFields: 1 }, /more than 1 fields/],
      ["[1,2,3]", { maxValues: 2 }, /more than 2 values/],
      ['"\\u0000"', {}, /NUL/],
    ];
    for (const [text, more, message] of faults) {
      const padded = Buffer.from(text + " ".repeat(300_000));
      await expect(thread.parse(padded, { ...rules, ...more })).rejects.toThrow(message);
      await expect(thread.parse(Buffer.from(text), { ...rules, ...more })).rejects.toThrow(JsonFault);
    }
    await expect(thread.parse(Buffer.alloc(300_000, 0xff), rules)).rejects.toThrow(/UTF-8/);
    const exact = Buffer.from(`[9007199254740993,0.10,7,"${"x".repeat(300_000)}"]`);
    expect(((await thread.parse(exact, { ...rules, digits: "exact" })) as unknown[]).slice(0, 3)).toEqual([
      "9007199254740993",
      "0.10",
      7,
    ]);
  });

  it("fails alone if its thread ends, and the next one starts another [api.turns]", async () => {
    const broken = new JsonThread();
    const text = bytesOf(large(1));
    const parsing = broken.parse(text, rules);
    await Promise.all([expect(parsing).rejects.toThrow(/has ended/), broken.close()]);
    expect(await broken.parse(text, rules)).toEqual(large(1));
    await broken.close();
  });
});
