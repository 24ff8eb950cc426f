import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { ask, say, startDemo } from "./demo-program.ts";
import { isInstalled } from "./proxy-run.ts";

/**
 * `node hard/field/prometheus.ts`: Prometheus' own promtool reads the metrics. Expected: it finds fault with nothing but
 * the one that is deprecated.
 */

const deprecated = /^nodejs_eventloop_delay_seconds /;

async function main(): Promise<void> {
  if (!(await isInstalled("promtool"))) return say("not installed: apt-get install prometheus");
  const program = await startDemo();
  try {
    const metrics = (await ask(`${program.metricsUrl}/metrics`)).body;
    const tool = spawn("promtool", ["check", "metrics"], { stdio: ["pipe", "inherit", "pipe"] });
    tool.stdin.end(metrics);
    const [said] = await Promise.all([text(tool.stderr), once(tool, "exit")]);
    const lines = said.split("\n").filter((line) => line !== "");
    for (const line of lines) say(line);
    const faults = lines.filter((line) => !deprecated.test(line));
    say(`${metrics.toString().split("\n").length} lines of metrics, ${faults.length} faults`);
    process.exitCode = faults.length === 0 ? 0 : 1;
  } finally {
    await program.stop();
  }
}

await main();
