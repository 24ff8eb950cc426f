import { Registry } from "prom-client";
import { beforeEach, describe, expect, it } from "vitest";
import { openLog } from "../log.ts";
import { PrometheusMeter } from "./prometheus.ts";

let logged: string[];
let registry: Registry;
let meter: PrometheusMeter;

beforeEach(() => {
  logged = [];
  registry = new Registry();
  meter = new PrometheusMeter(registry, openLog("warn", { write: (line: string) => void logged.push(line) }));
});

const samples = async () =>
  (await registry.metrics()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));

describe("a meter that Prometheus reads [operations.metrics]", () => {
  it("counts by label, and shows a counter without labels before it counts", async () => {
    meter.counter({ name: "a_total", help: "a" });
    const lost = meter.counter<"why">({ name: "b_total", help: "b", labels: ["why"] });
    lost.add({ why: "late" });
    lost.add({ why: "late" }, 4);
    expect(await samples()).toEqual(["a_total 0", 'b_total{why="late"} 5']);
  });

  it("gives the same instrument for the same name, so that whoever is opened twice goes on counting", async () => {
    for (const amount of [1, 2]) meter.counter({ name: "a_total", help: "a" }).add({}, amount);
    for (const value of [0.5, 3]) meter.histogram({ name: "h_seconds", help: "h", buckets: [1] }).observe({}, value);
    expect(await samples()).toEqual([
      "a_total 3",
      'h_seconds_bucket{le="1"} 1',
      'h_seconds_bucket{le="+Inf"} 2',
      "h_seconds_sum 3.5",
      "h_seconds_count 2",
    ]);
  });

  it("looks a gauge up when it is asked for, and leaves out what can no longer be read", async () => {
    let [reads, broken] = [0, false];
    meter.gauge<"kind">({ name: "g", help: "g", labels: ["kind"] }, async () => {
      reads += 1;
      if (broken) throw new Error("away");
      return [{ labels: { kind: "x" }, value: reads }];
    });
    expect(reads).toBe(0);
    expect(await samples()).toEqual(['g{kind="x"} 1']);
    broken = true;
    expect(await samples()).toEqual([]);
    expect(logged.join()).toContain('"metric":"g"');
    broken = false;
    expect(await samples()).toEqual(['g{kind="x"} 3']);
  });

  it("leaves a gauge without labels out as well, rather than showing a zero that nobody has read", async () => {
    meter.gauge({ name: "g", help: "g" }, () => {
      throw new Error("away");
    });
    meter.gauge({ name: "none", help: "absent on purpose" }, () => []);
    expect(await samples()).toEqual([]);
  });

  it("shows totals that others count as they stand", async () => {
    let seconds = 2;
    meter.total({ name: "cpu_seconds_total", help: "c" }, () => [{ labels: {}, value: seconds }]);
    expect(await samples()).toEqual(["cpu_seconds_total 2"]);
    seconds = 5;
    expect(await samples()).toEqual(["cpu_seconds_total 5"]);
  });
});
