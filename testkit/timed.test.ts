import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { timed } from "./timed.ts";

it("counts what was waited for and what was computed", async () => {
  const waited = await timed(() => pause(200));
  expect(waited.tookMs).toBeGreaterThan(195);
  expect(waited.ranMs).toBeLessThanOrEqual(waited.tookMs);
  const busy = await timed(() => {
    const { user, system } = process.cpuUsage();
    const used = () => process.cpuUsage().user + process.cpuUsage().system - user - system;
    while (used() < 300_000);
    return "done";
  });
  expect(busy.result).toBe("done");
  expect(busy.ranMs).toBeGreaterThan(150);
});

it("leaves out the time in which the process was stopped", async () => {
  const { tookMs, ranMs } = await timed(async () => {
    const stops = `kill -STOP ${process.pid}; sleep 1; kill -CONT ${process.pid}`;
    await once(spawn("sh", ["-c", stops], { stdio: "ignore" }), "exit");
  });
  expect(tookMs).toBeGreaterThan(950);
  expect(tookMs - ranMs).toBeGreaterThan(800);
});
