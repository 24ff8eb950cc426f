import { expect, it } from "vitest";
import { patience, scaleTimeouts } from "./slowness.ts";

it("scales the time-outs that tests state, and nothing else", ({ task }) => {
  const code =
    'it("a", () => {\n  pause(5_000);\n}, 20_000);\ndescribe("b", { timeout: 120_000 }, () => {});\nf({ a: 1 }, 7);\n  it.each(cases)(\n    "c",\n    () => {\n    },\n    60_000,\n  );';
  expect(scaleTimeouts(code, 3)).toBe(
    'it("a", () => {\n  pause(5_000);\n}, 60000);\ndescribe("b", { timeout: 360000 }, () => {});\nf({ a: 1 }, 7);\n  it.each(cases)(\n    "c",\n    () => {\n    },\n    180000,\n  );',
  );
  expect(task.timeout).toBe(30_000 * patience);
});

it("scales this test's own", ({ task }) => {
  expect(task.timeout).toBe(45_000 * patience);
}, 45_000);
