import { type EventLoopUtilization, monitorEventLoopDelay, performance } from "node:perf_hooks";
import { Counter } from "prom-client";
import { readGauge, readNumber } from "./metrics.ts";

/** The process's use of the machine, and the delay of its event loop. */

export interface ProcessInfo {
  /** Unix seconds */
  startedAt: number;
  version: string;
}

/** sampling interval of the event loop delay in ms: finer costs more than it is worth */
const resolutionMs = 20;
const nanoseconds = 1e9;

/** Returns a function that stops measuring. */
export function measureProcess({ startedAt, version }: ProcessInfo): () => void {
  readGauge<"version" | "node">(
    { name: "quizstore_build_info", help: "1, with the versions as labels", labelNames: ["version", "node"] },
    () => [{ labels: { version, node: process.version }, value: 1 }],
  );
  readNumber("process_start_time_seconds", "When the process started, Unix seconds", () => startedAt);
  countProcessorTime("user", "Processor time spent in the program's own code");
  countProcessorTime("system", "Processor time spent in the operating system for it");
  readNumber("process_resident_memory_bytes", "Memory of the whole process", () => process.memoryUsage.rss());
  readGauge<"kind">(
    { name: "nodejs_memory_bytes", help: "Parts of Node's memory, DuckDB's excluded", labelNames: ["kind"] },
    () => {
      const { heapUsed, heapTotal, external, arrayBuffers } = process.memoryUsage();
      const parts = { heap_used: heapUsed, heap_total: heapTotal, external, array_buffers: arrayBuffers };
      return Object.entries(parts).map(([kind, value]) => ({ labels: { kind }, value }));
    },
  );
  return measureEventLoop();
}

function countProcessorTime(kind: "user" | "system", help: string): void {
  new Counter({
    name: `process_cpu_${kind}_seconds_total`,
    help,
    collect() {
      this.reset();
      this.inc(process.cpuUsage()[kind] / 1e6);
    },
  });
}

function measureEventLoop(): () => void {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  let latest = { p50: 0, p99: 0, max: 0 };
  const read = () => {
    const late = (ns: number) => (Number.isFinite(ns) ? Math.max(0, ns / nanoseconds - resolutionMs / 1_000) : 0);
    latest = { p50: late(delay.percentile(50)), p99: late(delay.percentile(99)), max: late(delay.max) };
    delay.reset();
  };
  // a scrape reads the gauges in the order in which they are defined
  const help = "Delay of timers since the last reading";
  readNumber("nodejs_eventloop_delay_p50_seconds", `${help}: half were later`, () => {
    read();
    return latest.p50;
  });
  readNumber("nodejs_eventloop_delay_p99_seconds", `${help}: one in a hundred was later`, () => latest.p99);
  readNumber("nodejs_eventloop_delay_max_seconds", `${help}: the latest`, () => latest.max);
  // its earlier form: the label is reserved for summaries
  readGauge<"quantile">(
    { name: "nodejs_eventloop_delay_seconds", help: `${help} (deprecated)`, labelNames: ["quantile"] },
    () => [
      { labels: { quantile: "0.5" }, value: latest.p50 },
      { labels: { quantile: "0.99" }, value: latest.p99 },
      { labels: { quantile: "1" }, value: latest.max },
    ],
  );
  let before: EventLoopUtilization = performance.eventLoopUtilization();
  readNumber(
    "nodejs_eventloop_utilization_ratio",
    "Share of the time since the last reading that the thread was busy",
    () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, before);
      before = now;
      return utilization;
    },
  );
  return () => delay.disable();
}
