import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { createRandom } from "../demo/random.ts";
import { cellsOf, oddBuckets, runningCells } from "./attack-figures.ts";
import { processorNsBeyond, storedBeyond } from "./attack-fixed.ts";
import { mixed } from "./attack-mix.ts";
import { neighbourFaults } from "./attack-neighbours.ts";
import type { AttackedQuiz } from "./attack-quizzes.ts";
import { bytesOf, nextAddress, Sender } from "./attack-send.ts";
import type { AttackedShop } from "./attack-world.ts";

/** An attack that finds nothing proves something only where it would have found what is wrong. */

const quiz = { quiz_id: `quiz_${"a".repeat(32)}`, version_id: `ver_${"b".repeat(32)}` };
const names: AttackedQuiz[] = ["short", "full", "numbers", "branching", "large"];
const quizzes = Object.fromEntries(names.map((name) => [name, quiz])) as AttackedShop["quizzes"];
const victim: AttackedShop = {
  ...{ storeId: "store_x", uuid: "x", publishableKey: `pub_${"c".repeat(32)}`, commerceSecret: "s", key: "k" },
  ...{ domain: "x.myshopify.com", quizzes },
};

describe("spreadsheets", () => {
  it("cuts cells as a spreadsheet of another country does", () => {
    expect(cellsOf('a,"b;c",d\n', ",")).toEqual(["a", "b;c", "d", ""]);
    expect(cellsOf('a,"b;=1",d', ";")).toEqual(['a,"b', '=1",d']);
    expect(cellsOf('"say ""x"""', ",")).toEqual(['say "x"']);
  });

  it("finds cells that would run, and leaves numbers and defused ones alone", () => {
    expect(runningCells('name,"a;=1+1"')).toEqual(['=1+1"']);
    expect(runningCells("a,＝1+1")).toContain("＝1+1");
    expect(runningCells("a,+4930123456,-12.50,'=1+1,+49 110; +49 112")).toEqual([]);
  });
});

describe("figures", () => {
  it("finds buckets without an extent, and such as hold no number", () => {
    const bucket = (low: unknown, high: unknown) => JSON.stringify({ buckets: [{ low, high }] });
    expect(oddBuckets(bucket(0, 5))).toEqual([]);
    for (const [low, high] of [
      [1e16, 1e16],
      [null, 1],
      ["1eInfinity", 2],
    ])
      expect(oddBuckets(bucket(low, high))).toHaveLength(1);
  });
});

describe("senders", () => {
  it("come from the address that they name, and count what they send", async () => {
    const server = createServer((request, response) => response.end(request.socket.remoteAddress)).listen(
      0,
      "127.0.0.1",
    );
    await once(server, "listening");
    const sender = new Sender(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { from: "127.0.0.9" });
    const reply = await sender.send({ method: "POST", path: "/", body: "12345" });
    expect([reply.status, reply.text]).toEqual([200, "127.0.0.9"]);
    expect(sender.take()).toMatchObject({ requests: 1, sent: 4 + 1 + 12 + 5, answered: 9 });
    await sender.close();
    server.close();
  });
});

describe("neighbours", () => {
  const kind = { requests: 100, p50: 3, p99: 10, slowest: 12, wrong: {}, samples: [] };
  const report = (over: object) => ({ kinds: { reads: { ...kind, ...over } } });
  const strict = (alone: number) => Math.min(150, 3 * alone);

  it("complain of wrong answers, and of times beyond what is allowed for theirs alone", () => {
    expect(neighbourFaults(report({}), report({ p99: 29 }), strict)).toEqual([]);
    expect(neighbourFaults(report({}), report({ p99: 31 }), strict)).toHaveLength(1);
    expect(neighbourFaults(report({ p99: 100 }), report({ p99: 151 }), strict)).toHaveLength(1);
    expect(neighbourFaults(report({}), report({ wrong: { 503: 2 } }), strict)).toHaveLength(1);
  });
});

describe("costs", () => {
  const sent = { requests: 150, taken: 100, bytes: 1e6, processorMs: 325, storedBytes: 4e6 };
  const fixed = { processorMs: 1, refusedMs: 0.5, storedBytes: 1_000 };

  it("counts what goes beyond the fixed cost of a request, by the byte", () => {
    expect(processorNsBeyond(sent, fixed)).toBe(200);
    expect(storedBeyond(sent, fixed)).toBeCloseTo(3.9, 5);
    // a request counts as 512 bytes at least
    expect(processorNsBeyond({ ...sent, bytes: 150 * 60 }, fixed)).toBeCloseTo(2e8 / (150 * 512), 5);
  });

  it("counts the bytes of a request, and gives every sender an address of its own", () => {
    expect(bytesOf({ method: "POST", path: "/x", headers: { a: "b" }, body: "ä" })).toBe(4 + 2 + 12 + 6 + 2);
    const addresses = Array.from({ length: 1_000 }, nextAddress);
    expect(new Set(addresses).size).toBe(1_000);
    expect(addresses.every((address) => /^127\.\d+\.\d+\.[1-9]\d*$/.test(address))).toBe(true);
  });
});

describe("everything at once", () => {
  it("sends every kind of request of the scripted attacks", () => {
    const requests = mixed({ ground: { url: "http://127.0.0.1", victim }, random: createRandom("attack") });
    const labels = new Set(Array.from({ length: 500 }, () => requests.next().value?.label));
    expect(labels.size).toBe(14);
  });
});
