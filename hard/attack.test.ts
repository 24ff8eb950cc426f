import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { createRandom } from "../demo/random.ts";
import { screens } from "../server/web/dashboard-routes.ts";
import { openTestApp } from "../testkit/app.ts";
import { declaredOperation, readablePage } from "./attack-addresses.ts";
import { cellsOf, oddBuckets, runningCells } from "./attack-figures.ts";
import { leastBytes } from "./attack-fixed.ts";
import { crossed, express, type Genome, mutated, newGenome, newShared } from "./attack-genes.ts";
import { neighbourFaults } from "./attack-neighbours.ts";
import type { AttackedQuiz } from "./attack-quizzes.ts";
import { bounds, type Measured, meanOf, objectives, Population } from "./attack-search.ts";
import { bytesOf, nextAddress, Sender } from "./attack-send.ts";
import type { AttackedShop } from "./attack-world.ts";
import { Genes } from "./genes.ts";

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

describe("the search", () => {
  const random = createRandom("attack");
  const expressed = (genome: Genome) => express(genome, victim, random, newShared());

  it("gives the same genes the same kind of request, and reaches every route", () => {
    const routes = new Set<string>();
    for (let turn = 0; turn < 200; turn += 1) {
      const { genome, request } = expressed(newGenome(random));
      routes.add(genome.route);
      const again = expressed(genome).request;
      expect([again.method, again.path.length]).toEqual([request.method, request.path.length]);
      expect(request.method === "GET" && request.body !== undefined).toBe(false);
    }
    expect([...routes].sort()).toEqual(
      [
        ...["events", "raw events", "document", "commerce", "page", "without key"],
        ...["readable", "any operation", "sign-in", "assistant"],
      ].sort(),
    );
  });

  it("asks for every address that the program has", async () => {
    const asked = new Set(["/storefront/v1/events", "/commerce/v1/shopify/webhooks", "/mcp"]);
    for (let turn = 0; turn < 5_000; turn += 1) {
      const [page, operation] = [new Genes({}, random), new Genes({}, random)];
      for (const { path } of [readablePage(victim, page), declaredOperation(victim, operation, () => "")]) {
        asked.add(path.split("?")[0] ?? "");
      }
    }
    const patternOf = (url: string) =>
      new RegExp(
        `^${url
          .replace(screens, "/dashboard/:screen")
          .replaceAll(/:[a-z_]+/g, "[^/]+")
          .replaceAll("*", ".+")}$`,
      );
    const t = await openTestApp();
    const patterns = [...t.app.allowed.keys()].map(patternOf);
    await t.close();
    expect(patterns.filter((pattern) => ![...asked].some((path) => pattern.test(path)))).toEqual([]);
  }, 60_000);

  it("keeps genes between 0 and 1, and a child has the genes of its parents", () => {
    const drawn = () => expressed({ route: "events", genes: {} }).genome;
    for (let turn = 0; turn < 50; turn += 1) {
      const child = mutated(crossed(drawn(), drawn(), random), random);
      const values = Object.values(child.genes);
      expect(values.length).toBeGreaterThan(10);
      expect(Math.min(...values)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...values)).toBeLessThan(1);
    }
  });

  it("climbs: of many tries on a hill it keeps the highest", () => {
    const population = new Population();
    const hill = ({ genes }: Genome) => -Math.abs((genes["x"] ?? 0) - 0.7);
    const none: Measured = {
      ...{ requests: 1, taken: 1, bytes: 1, processorMs: 0, storedBytes: 0, sentBytes: 0, lockMs: 0, statuses: "" },
    };
    for (let turn = 0; turn < 400; turn += 1) {
      const { route, genes } = population.next(random);
      const genome = { route, genes: { x: genes["x"] ?? random.next() } };
      population.add({ genome, request: { method: "GET", path: "/" }, measured: none, score: hill(genome) });
    }
    expect(population.best).toHaveLength(6);
    expect(population.best[0]?.genome.genes["x"]).toBeCloseTo(0.7, 2);
  });

  it("counts what goes beyond the fixed cost of a request, by the byte", () => {
    const measured = { requests: 150, taken: 100, bytes: 1e6, processorMs: 325, storedBytes: 4e6, sentBytes: 2e6 };
    const fixed = { processorMs: 1, refusedMs: 0.5, storedBytes: 1_000 };
    const all = { ...measured, lockMs: 5, statuses: "" };
    expect(objectives["processor ns"](all, fixed)).toBe(200);
    expect(objectives["bytes stored"](all, fixed)).toBeCloseTo(3.9, 5);
    expect(objectives["bytes sent"](all)).toBe(2);
    expect(objectives["processor ns"]({ ...all, bytes: 150 * 60 }, fixed)).toBeCloseTo(2e8 / (150 * leastBytes), 5);
    expect(bounds).toEqual({ "processor ns": 100, "bytes stored": 3 });
  });

  it("says of several rounds what they came to, and how far that may be off", () => {
    expect(meanOf([120])).toEqual({ score: 120, unsureBy: 0 });
    const { score, unsureBy } = meanOf([100, 100, 140, 140].map((each) => each * 0.5 + 60));
    expect([score, unsureBy]).toEqual([120, expect.closeTo(11.547, 3)]);
  });

  it("counts the bytes of a request, and gives every sender an address of its own", () => {
    expect(bytesOf({ method: "POST", path: "/x", headers: { a: "b" }, body: "ä" })).toBe(4 + 2 + 12 + 6 + 2);
    const addresses = Array.from({ length: 1_000 }, nextAddress);
    expect(new Set(addresses).size).toBe(1_000);
    expect(addresses.every((address) => /^127\.\d+\.\d+\.[1-9]\d*$/.test(address))).toBe(true);
  });
});
