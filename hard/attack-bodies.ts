import { setTimeout as pause } from "node:timers/promises";
import { allMs, costBetween, readCost } from "./attack-cost.ts";
import { idleRate, spend } from "./attack-fixed.ts";
import { type Attack, type Finding, inMs, median, must, scaled } from "./attack-script.ts";
import { type Reply, type Request, tallyLine } from "./attack-send.ts";

/** Bodies and queries that are expensive before their content is even examined. */

const megabyte = (unit: string, bytes = 1_000_000): string => unit.repeat(Math.floor(bytes / unit.length));

/** Bodies that are the most expensive to parse for their size. */
const hostileBodies: Record<string, string> = {
  brackets: megabyte("["),
  objects: megabyte('{"":'),
  pairs: `[${megabyte("[],")}[]]`,
  numbers: `[${megabyte("1,")}1]`,
  names: `{${Array.from({ length: 60_000 }, (_, number) => `"k${number}":1`).join(",")}}`,
  escapes: `"${megabyte("\\u0000")}"`,
  exponents: `[${megabyte("1e-307,")}1]`,
};

const brackets: Attack = {
  name: "brackets",
  what: "a megabyte of brackets, pairs, numbers or names on three connections, once a second each",
  seconds: 200,
  async run(scene) {
    const { ground, sender } = scene;
    const figures: string[] = [];
    const faults: string[] = [];
    const idle = await idleRate(ground, 3_000);
    for (const [name, body] of Object.entries(hostileBodies)) {
      const [before, begun] = [await readCost(ground), performance.now()];
      const rounds: Reply[][] = [];
      for (let round = 0; round < scaled(scene, 5, 1); round += 1) {
        const request = { method: "POST", path: "/storefront/v1/events", body };
        const from = performance.now();
        rounds.push(
          await sender.sendAll(
            Array.from({ length: 3 }, () => request),
            3,
          ),
        );
        await pause(Math.max(0, 1_000 - (performance.now() - from)));
      }
      const replies = rounds.flat();
      const spent = allMs(costBetween(before, await readCost(ground))) - idle * (performance.now() - begun);
      const each = spent / replies.length;
      figures.push(`${name} ${inMs(median(replies.map(({ ms }) => ms)))} (${inMs(each)})`);
      faults.push(
        ...must(
          replies.every(({ status }) => status === 422 || status === 429),
          `${name}: answered ${[...new Set(replies.map(({ status }) => status))].join(", ")}`,
        ),
        ...must(each < 50, `${name}: ${inMs(each)} of processor time a request`),
      );
    }
    return { measured: `${figures.join(", ")} an answer (processor time); ${tallyLine(sender.take())}`, faults };
  },
};

const documents: Attack = {
  name: "documents",
  what: "a large document, whole and as a 304, again and again",
  seconds: 200,
  async run(scene) {
    const { ground } = scene;
    const { victim } = ground;
    const path = `/storefront/v1/quizzes/${victim.quizzes.large.quiz_id}?store=${victim.publishableKey}`;
    const first = await fetch(ground.url + path);
    const tag = first.headers.get("etag") ?? "";
    const size = (await first.text()).length;
    const idle = await idleRate(ground, 3_000);
    // from a fresh address and within its limit, because cheap refusals would lower the mean
    const many = (headers: Record<string, string>) => {
      let left = 60;
      const next = () => (left-- > 0 ? { method: "GET", path, headers } : null);
      return spend(ground, { next, connections: 4, idle, ms: 60_000 });
    };
    const foreign = `"${"x".repeat(8_000)}"`;
    const spent = [await many({}), await many({ "if-none-match": tag }), await many({ "if-none-match": foreign })];
    const each = spent.map(({ processorMs, tally }) => processorMs / Math.max(1, tally.requests));
    const [wholeMs = 0, knownMs = 0, oddMs = 0] = each;
    const statuses = [...(spent[1]?.tally.statuses.keys() ?? [])];
    const requests = spent.map(({ tally }) => tally.requests).join(", ");
    return {
      measured: `${(size / 1_000).toFixed(0)} kB: ${inMs(wholeMs)} of processor time for the whole, ${inMs(knownMs)} for its 304, ${inMs(oddMs)} with a foreign tag; ${requests} requests`,
      faults: [
        ...must(knownMs < 3, `a 304 costs ${inMs(knownMs)}`),
        ...must(wholeMs < 10, `the document costs ${inMs(wholeMs)}`),
        ...must(
          statuses.every((status) => status === 304 || status === 429),
          `304s are ${statuses.join(", ")}`,
        ),
      ],
    };
  },
};

const bogusCommerce: Attack = {
  name: "bogus-commerce",
  what: "5 MB bodies for the commerce route, wrongly signed",
  seconds: 200,
  async run(scene): Promise<Finding> {
    const { ground } = scene;
    const idle = await idleRate(ground, 3_000);
    const body = Buffer.alloc(5 * 1_000_000, "a");
    const request = (domain: string): Request => ({
      ...{ method: "POST", path: "/commerce/v1/shopify/webhooks", body },
      headers: {
        ...{ "x-shopify-topic": "orders/create", "x-shopify-shop-domain": domain, "x-shopify-webhook-id": "1" },
        "x-shopify-hmac-sha256": "A".repeat(43).concat("="),
      },
    });
    const next = () => request(ground.victim.domain);
    const ms = scaled(scene, 20_000, 2_000);
    const { tally, processorMs } = await spend(ground, { next, connections: 4, ms, idle, from: "127.0.0.1" });
    const net = processorMs / Math.max(1, tally.requests);
    const odd = [...tally.statuses.keys()].filter((status) => ![401, 422, 429, 599].includes(status));
    return {
      measured: `${inMs(net)} of processor time a body; ${tallyLine(tally)}`,
      faults: [
        ...must(
          tally.requests < 100 || tally.statuses.has(429) || tally.statuses.has(599),
          `of ${tally.requests} bodies none is refused as too much`,
        ),
        ...must(odd.length === 0, `it is answered ${odd.join(", ")}`),
        ...must(net < 30, `a bogus body costs ${inMs(net)} of processor time`),
      ],
    };
  },
};

export const bodyAttacks: readonly Attack[] = [brackets, documents, bogusCommerce];
