import { register } from "prom-client";
import { afterEach, expect, it } from "vitest";
import { Tally } from "./tally.ts";

afterEach(() => register.removeSingleMetric("t"));

const samples = async () =>
  (await register.metrics())
    .split("\n")
    .filter((line) => line.startsWith("t{"))
    .sort();

it("counts what happens between two askings, for all time, and nothing that never happened [operations.metrics]", async () => {
  const tally = new Tally<"kind">({ name: "t", help: "t", labelNames: ["kind"] });
  const [countA, countB, countC] = [tally.of({ kind: "a" }), tally.of({ kind: "b" }), tally.of({ kind: "c" })];
  countA();
  countA();
  countB(5);
  countC(0);
  expect(await samples()).toEqual(['t{kind="a"} 2', 't{kind="b"} 5']);
  expect(await samples()).toEqual(['t{kind="a"} 2', 't{kind="b"} 5']);
  countA();
  countC();
  expect(await samples()).toEqual(['t{kind="a"} 3', 't{kind="b"} 5', 't{kind="c"} 1']);
  countB();
  register.resetMetrics();
  expect(await samples()).toEqual([]);
});
