import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import { stopRequests } from "./stop-signal.ts";

it("takes signals within a second for one request: graceful, then quick, then at once [operations.stop]", async () => {
  const source = new EventEmitter();
  let now = 0;
  const heard: string[] = [];
  const stop = stopRequests({ source, elapsed: () => now, leave: () => heard.push("leave") });
  void stop.graceful.then(() => heard.push("asked"));
  void stop.immediate.then(() => heard.push("insisted"));
  const send = async (at: number, signal: string): Promise<string[]> => {
    now = at;
    source.emit(signal);
    await new Promise(setImmediate);
    return heard.splice(0);
  };
  expect(await send(10, "SIGINT")).toEqual(["asked"]);
  // from npm, and from what npm runs
  expect(await send(12, "SIGINT")).toEqual([]);
  expect(await send(900, "SIGTERM")).toEqual([]);
  expect(await send(1_010, "SIGINT")).toEqual(["insisted"]);
  expect(await send(1_020, "SIGINT")).toEqual([]);
  expect(await send(3_000, "SIGHUP")).toEqual(["leave"]);
  stop.release();
});
