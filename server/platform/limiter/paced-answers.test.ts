import { describe, expect, it } from "vitest";
import { PacedAnswers } from "./paced-answers.ts";

function opened() {
  let now = 0;
  const waiting: (() => void)[] = [];
  const heldMs: number[] = [];
  const wait = (milliseconds: number) => {
    heldMs.push(milliseconds);
    return new Promise<void>((resolve) => waiting.push(resolve));
  };
  const answers = new PacedAnswers(() => now, { wait });
  const pass = (milliseconds: number) => {
    now += milliseconds;
  };
  /** whether the answer may be sent at once */
  const refuse = (name: string): boolean => answers.pace(name) === null;
  return { answers, refuse, waiting, heldMs, pass };
}

describe("answers to a sender who repeats at once, such as refusals [storefront.sender-refusals]", () => {
  it("come at once for the first hundred of a second, whoever else is refused", () => {
    const { refuse, pass } = opened();
    for (let i = 0; i < 100; i++) expect(refuse("a")).toBe(true);
    expect(refuse("a")).toBe(false);
    expect(refuse("b")).toBe(true);
    pass(1_000);
    expect(refuse("a")).toBe(true);
  });

  it("come at once for one in each hundredth of a second after these, not for the next hundred at its end", () => {
    const { refuse, pass } = opened();
    for (let i = 0; i < 100; i++) refuse("a");
    for (let i = 0; i < 500; i++) {
      expect(refuse("a")).toBe(false);
      pass(10);
      expect(refuse("a")).toBe(true);
    }
    pass(300);
    expect(Array.from({ length: 40 }, () => refuse("a")).filter((atOnce) => atOnce)).toHaveLength(30);
  });

  it("are held back for half a second on average, and no two that come together end together", () => {
    const { refuse, heldMs } = opened();
    for (let i = 0; i < 120; i++) refuse("a");
    expect(heldMs).toHaveLength(20);
    const sorted = heldMs.toSorted((a, b) => a - b);
    expect(sorted[0]).toBeGreaterThanOrEqual(250);
    expect(sorted.at(-1)).toBeLessThanOrEqual(750);
    expect(heldMs.reduce((sum, ms) => sum + ms, 0) / 20).toBeCloseTo(500, -2);
    for (const [i, ms] of sorted.slice(1).entries()) expect(ms - (sorted[i] ?? 0)).toBeGreaterThan(5);
  });

  it("are sent when they were held back", async () => {
    const { answers, refuse, waiting } = opened();
    for (let i = 0; i < 100; i++) refuse("a");
    const held = answers.pace("a");
    expect(waiting).toHaveLength(1);
    waiting[0]?.();
    await expect(held).resolves.toBeUndefined();
  });

  it("are held back up to 2,000 at once, so that nobody fills memory with them", async () => {
    const { refuse, waiting } = opened();
    for (let i = 0; i < 2_100; i++) refuse("a");
    expect(waiting).toHaveLength(2_000);
    expect(refuse("a")).toBe(true);
    for (const goOn of waiting) goOn();
    await new Promise((resolve) => setImmediate(resolve));
    expect(refuse("a")).toBe(false);
  });

  it("stay held back while any number of other senders is refused", () => {
    const { refuse } = opened();
    for (let i = 0; i < 100; i++) refuse("a");
    for (let i = 0; i < 10_500; i++) {
      expect(refuse(`other ${i}`)).toBe(true);
      if (i % 4_000 === 0) expect(refuse("a")).toBe(false);
    }
    expect(refuse("a")).toBe(false);
  });
});
