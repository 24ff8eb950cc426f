import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { afterEach, describe, expect, it } from "vitest";
import { openTestApp } from "../../../testkit/app.ts";
import { makeQuiz } from "../../../testkit/quizzes.ts";
import { listen } from "../../../testkit/raw-http.ts";
import { opened } from "../../../testkit/session-scripts.ts";
import { recently, send, sessionId, sessionRow } from "../../../testkit/storefront.ts";
import { readConfig } from "../config.ts";
import { Deadlines } from "../deadline.ts";
import { openLog } from "../log.ts";
import { createApp } from "./app.ts";

const apps: FastifyInstance[] = [];
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
});

function openApp(trustProxy: number): FastifyInstance {
  const elapsed = () => performance.now();
  const log = openLog("fatal", { write: () => undefined });
  const deadlines = new Deadlines(elapsed);
  const app = createApp({
    ...{ baseUrl: "http://localhost", log, deadlines, elapsed, newRequestId: () => "req_1", trustProxy },
  });
  apps.push(app);
  return app;
}

/** The address that a request is taken to come from, behind so many proxies. */
async function addressSeen(trustProxy: number, forwarded: string | undefined, from = "10.0.0.1"): Promise<string> {
  const app = openApp(trustProxy);
  app.get("/address", async (request) => request.address);
  const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
  return (await app.inject({ url: "/address", headers, remoteAddress: from })).body;
}

describe("the address of whoever asks [api.forwarded-addresses]", () => {
  it.for([
    [0, undefined, "10.0.0.1"],
    [0, "203.0.113.7", "10.0.0.1"],
    [1, undefined, "10.0.0.1"],
    [1, "", "10.0.0.1"],
    [1, "203.0.113.7", "203.0.113.7"],
    // what stands before it the client wrote itself
    [1, "198.51.100.1, 203.0.113.7", "203.0.113.7"],
    [2, "198.51.100.1, 203.0.113.7, 10.0.0.2", "203.0.113.7"],
    // a proxy less than was said
    [2, "203.0.113.7", "203.0.113.7"],
    [1, "2001:db8::7", "2001:db8::7"],
    // with ports and zones
    [1, "203.0.113.7:40123", "203.0.113.7"],
    [1, "[2001:db8::7]:40123", "2001:db8::7"],
    [1, "[2001:db8::7]", "2001:db8::7"],
    [1, "fe80::7%eth0", "fe80::7"],
    // no address: as far as is known
    [1, "unknown", "10.0.0.1"],
    [1, "203.0.113.7, ';--", "10.0.0.1"],
    [2, "';--, 203.0.113.7", "203.0.113.7"],
    [2, "203.0.113.7, _hidden", "10.0.0.1"],
    [1, ", ,", "10.0.0.1"],
  ] as const)("behind %i proxies that say %s is %s", async ([proxies, forwarded, expected]) => {
    expect(await addressSeen(proxies, forwarded)).toBe(expected);
  });

  it("is an IPv4 address where one came in over an IPv6 socket", async () => {
    expect(await addressSeen(0, undefined, "::ffff:203.0.113.7")).toBe("203.0.113.7");
    expect(await addressSeen(1, "::ffff:203.0.113.7")).toBe("203.0.113.7");
    expect(await addressSeen(0, undefined, "2001:db8::7")).toBe("2001:db8::7");
  });

  it("is known to what is still under way when the client has hung up", async () => {
    const app = openApp(0);
    const entered = Promise.withResolvers<void>();
    const seen = Promise.withResolvers<string>();
    app.post("/address", async (request) => {
      const gone = once(request.raw.socket, "close");
      entered.resolve();
      await gone;
      seen.resolve(request.address);
      return {};
    });
    const client = connect(await listen(app), "127.0.0.1");
    client.on("error", () => undefined);
    client.write("POST /address HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n");
    await entered.promise;
    client.destroy();
    expect(await seen.promise).toBe("127.0.0.1");
  });

  it("is where a shopper is, and by whom limits are kept [sessions.country, storefront.sender-limits]", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "quizstore-forwarded-"));
    const config = readConfig({ BASE_URL: "http://api.test", DATA_DIR: dataDir, TRUST_PROXY: "1" });
    const bucket = { capacity: 60, leakPerSecond: 1 };
    const storefrontLimits = { address: bucket, network: bucket, store: { capacity: 10_000, leakPerSecond: 1 } };
    const t = await openTestApp({ config, storefrontLimits });
    const store = await t.store();
    const quiz = await makeQuiz(t, store, { publish: true });
    const post = (number: number, address: string) =>
      send(t, store, quiz, recently(t, [opened()], { firstId: number }), {
        session: { id: sessionId(number) },
        headers: { "x-forwarded-for": `198.51.100.1, ${address}` },
      });
    expect((await post(1, "8.8.8.8")).status).toBe(202);
    expect((await sessionRow(t, store, sessionId(1)))?.country).toBe("US");
    expect((await post(2, "no address")).status).toBe(202);
    expect((await sessionRow(t, store, sessionId(2)))?.country).toBeNull();
    const statuses: number[] = [];
    for (let number = 3; number < 60; number += 1) statuses.push((await post(number, "8.8.8.8")).status);
    expect(statuses).toContain(429);
    expect((await post(60, "8.8.4.4")).status).toBe(202);
    await t.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
});
