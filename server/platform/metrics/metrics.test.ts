import { register } from "prom-client";
import { afterEach, describe, expect, it } from "vitest";
import { onUnreadGauge, readGauge, readNumber } from "./metrics.ts";

afterEach(() => register.removeSingleMetric("g"));

const samples = async () => (await register.metrics()).split("\n").filter((line) => /^g[ {]/.test(line));

describe("a gauge that is read when somebody asks [operations.metrics]", () => {
  it("is looked up each time, and leaves out what is no longer there", async () => {
    let reads = 0;
    readGauge<"kind">({ name: "g", help: "g", labelNames: ["kind"] }, async () => {
      reads += 1;
      return reads === 2 ? [] : [{ labels: { kind: "x" }, value: reads }];
    });
    expect(reads).toBe(0);
    expect(await samples()).toEqual(['g{kind="x"} 1']);
    expect(await samples()).toEqual([]);
    expect(await samples()).toEqual(['g{kind="x"} 3']);
  });

  it("shows no zero that nobody has read where it has no labels", async () => {
    readGauge({ name: "g", help: "absent on purpose" }, () => []);
    expect(await samples()).toEqual([]);
  });

  it("that cannot be read is left out and told of, and the others are there all the same", async () => {
    const told: unknown[] = [];
    // gauges of services that other files closed are read as well
    onUnreadGauge((name, error) => void (name === "g" && told.push(error)));
    const away = new Error("away");
    readGauge({ name: "g", help: "g" }, async () => {
      throw away;
    });
    readNumber("other", "other", () => 5);
    expect(await samples()).toEqual([]);
    expect(told).toEqual([away]);
    expect(await register.getSingleMetricAsString("other")).toContain("other 5");
    register.removeSingleMetric("other");
  });

  it("tells the value of whoever was opened last", async () => {
    for (const value of [1, 2]) readNumber("g", "g", () => value);
    expect(await samples()).toEqual(["g 2"]);
  });
});
