import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import type { HeldShare } from "../../testkit/held-bytes-worker.ts";
import { readSession } from "./events.ts";

describe("what a waiting request holds [storefront.memory]", () => {
  it("is counted as what it takes of memory, half of it at least, whatever events it has", async () => {
    const worker = new Worker(new URL("../../testkit/held-bytes-worker.ts", import.meta.url));
    const [shares] = (await once(worker, "message")) as [HeldShare[]];
    await worker.terminate();
    expect(shares).toHaveLength(5);
    for (const [kind, share] of shares) {
      expect(share, kind).toBeGreaterThan(0.5);
      expect(share, kind).toBeLessThan(6);
    }
  });

  it("has of a session and its client hints the fields that it knows, and no other", () => {
    const session = {
      ...{
        id: "sess_1",
        visitor_id: "vis_1",
        quiz_id: "quiz_1",
        version_id: "ver_1",
        channel: "web",
        placement: "popup",
      },
      utm: { source: "mail", more: "x".repeat(1_000) },
      client_hints: { platform: "Android", mobile: true, more: "x".repeat(1_000) },
      more: Array.from({ length: 1_000 }, () => []),
    };
    const { more: _, ...known } = session;
    expect(readSession(session)).toEqual({
      ...known,
      ...{ page_url: null, referrer: null, preview: null, locale: null, time_zone: null },
      utm: { source: "mail" },
      client_hints: { platform: "Android", mobile: true },
    });
  });
});
