import { type EventLoopUtilization, monitorEventLoopDelay, performance } from "node:perf_hooks";
import type { Meter } from "./types.ts";

/** What the process takes of the machine, and how promptly its one thread gets to its work. */

export interface ProcessInfo {
  /** Unix seconds */
  startedAt: number;
  version: string;
}

/** ms between looks at whether the thread was late: finer costs more than it tells */
const resolutionMs = 20;
const nanoseconds = 1e9;

/** Returns how to end the measuring. */
export function measureProcess(meter: Meter, { startedAt, version }: ProcessInfo): () => void {
  const plain = (value: number) => [{ labels: {}, value }];
  meter.gauge<"version" | "node">(
    { name: "quizstore_build_info", help: "1, with the versions as labels", labels: ["version", "node"] },
    () => [{ labels: { version, node: process.version }, value: 1 }],
  );
  meter.gauge({ name: "process_start_time_seconds", help: "When the process started, Unix seconds" }, () =>
    plain(startedAt),
  );
  meter.total({ name: "process_cpu_user_seconds_total", help: "Processor time spent in the program's own code" }, () =>
    plain(process.cpuUsage().user / 1e6),
  );
  meter.total(
    { name: "process_cpu_system_seconds_total", help: "Processor time spent in the operating system for it" },
    () => plain(process.cpuUsage().system / 1e6),
  );
  meter.gauge({ name: "process_resident_memory_bytes", help: "Memory that the process holds" }, () =>
    plain(process.memoryUsage.rss()),
  );
  meter.gauge<"kind">(
    { name: "nodejs_memory_bytes", help: "Parts of Node's memory, DuckDB's excluded", labels: ["kind"] },
    () => {
      const { heapUsed, heapTotal, external, arrayBuffers } = process.memoryUsage();
      const parts = { heap_used: heapUsed, heap_total: heapTotal, external, array_buffers: arrayBuffers };
      return Object.entries(parts).map(([kind, value]) => ({ labels: { kind }, value }));
    },
  );
  return measureEventLoop(meter);
}

function measureEventLoop(meter: Meter): () => void {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  meter.gauge<"quantile">(
    {
      name: "nodejs_eventloop_delay_seconds",
      help: "How late timers came since the last reading",
      labels: ["quantile"],
    },
    () => {
      const late = (ns: number) => (Number.isFinite(ns) ? Math.max(0, ns / nanoseconds - resolutionMs / 1_000) : 0);
      const readings = [
        { labels: { quantile: "0.5" }, value: late(delay.percentile(50)) },
        { labels: { quantile: "0.99" }, value: late(delay.percentile(99)) },
        { labels: { quantile: "1" }, value: late(delay.max) },
      ];
      delay.reset();
      return readings;
    },
  );
  let before: EventLoopUtilization = performance.eventLoopUtilization();
  meter.gauge(
    {
      name: "nodejs_eventloop_utilization_ratio",
      help: "Share of the time since the last reading that the thread was busy",
    },
    () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, before);
      before = now;
      return [{ labels: {}, value: utilization }];
    },
  );
  return () => delay.disable();
}
