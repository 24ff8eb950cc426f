import { setTimeout as pause } from "node:timers/promises";
import { allMs, costBetween, readCost } from "./attack-cost.ts";
import { type Attack, type Finding, inMs, median, must, type Scene, scaled } from "./attack-script.ts";
import { type Reply, type Request, tallyLine } from "./attack-send.ts";

/** Bodies and questions that are dear before anybody looks at what they say. */

/** Sends requests in turn and gives their times, and the processor time of one. */
async function priced(
  scene: Scene,
  requests: readonly Request[],
  lanes: number,
): Promise<{ replies: Reply[]; ms: number }> {
  const before = await readCost(scene.ground);
  const replies = await scene.sender.sendAll(requests, lanes, performance.now() + 90_000);
  const cost = costBetween(before, await readCost(scene.ground));
  return { replies, ms: allMs(cost) / Math.max(1, replies.length) };
}

const megabyte = (unit: string, bytes = 1_000_000): string => unit.repeat(Math.floor(bytes / unit.length));

/** Bodies that cost a parser the most for their size. */
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
    for (const [name, body] of Object.entries(hostileBodies)) {
      const before = await readCost(ground);
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
      const each = allMs(costBetween(before, await readCost(ground))) / replies.length;
      figures.push(`${name} ${inMs(median(replies.map(({ ms }) => ms)))}`);
      faults.push(
        ...must(
          replies.every(({ status }) => status === 422 || status === 429),
          `${name}: answered ${[...new Set(replies.map(({ status }) => status))].join(", ")}`,
        ),
        ...must(each < 100, `${name}: ${inMs(each)} of processor time a request, neighbours included`),
      );
    }
    return { measured: `${figures.join(", ")} an answer; ${tallyLine(sender.take())}`, faults };
  },
};

const documents: Attack = {
  name: "documents",
  what: "a large document, whole and as a 304, again and again",
  seconds: 200,
  async run(scene) {
    const { ground, sender } = scene;
    const { victim } = ground;
    const path = `/storefront/v1/quizzes/${victim.quizzes.large.quiz_id}?store=${victim.publishableKey}`;
    const first = await fetch(ground.url + path);
    const tag = first.headers.get("etag") ?? "";
    const size = (await first.text()).length;
    const idle = await idleMs(scene);
    const many = (headers: Record<string, string>) =>
      Array.from({ length: scaled(scene, 400, 50) }, () => ({ method: "GET", path, headers }));
    const whole = await priced(scene, many({}), 4);
    const known = await priced(scene, many({ "if-none-match": tag }), 4);
    const odd = await priced(scene, many({ "if-none-match": `"${"x".repeat(8_000)}"` }), 4);
    const netOf = ({ replies, ms }: typeof whole) =>
      ms - idle * (replies.reduce((sum, reply) => sum + reply.ms, 0) / 4 / replies.length);
    const [wholeMs, knownMs, oddMs] = [whole, known, odd].map(netOf) as [number, number, number];
    const statuses = new Set(known.replies.map(({ status }) => status));
    return {
      measured: `${(size / 1_000).toFixed(0)} kB: ${inMs(wholeMs)} of processor time for the whole, ${inMs(knownMs)} for its 304, ${inMs(oddMs)} with a foreign tag; ${tallyLine(sender.take())}`,
      faults: [
        ...must(knownMs < 3, `a 304 costs ${inMs(knownMs)}`),
        ...must(wholeMs < 10, `the document costs ${inMs(wholeMs)}`),
        ...must(
          [...statuses].every((status) => status === 304 || status === 429),
          `304s are ${[...statuses].join(", ")}`,
        ),
      ],
    };
  },
};

/** Processor time a millisecond that goes on without the attack: the neighbours'. */
async function idleMs({ ground }: Scene): Promise<number> {
  const before = await readCost(ground);
  await pause(3_000);
  return allMs(costBetween(before, await readCost(ground))) / 3_000;
}

const bogusCommerce: Attack = {
  name: "bogus-commerce",
  what: "5 MB bodies for the commerce route, wrongly signed",
  seconds: 200,
  async run(scene): Promise<Finding> {
    const { ground, sender } = scene;
    const idle = await idleMs(scene);
    const body = Buffer.alloc(5 * 1_000_000, "a");
    const request = (domain: string): Request => ({
      ...{ method: "POST", path: "/commerce/v1/shopify/webhooks", body },
      headers: {
        ...{ "x-shopify-topic": "orders/create", "x-shopify-shop-domain": domain, "x-shopify-webhook-id": "1" },
        "x-shopify-hmac-sha256": "A".repeat(43).concat("="),
      },
    });
    const times = scaled(scene, 100, 20);
    const from = performance.now();
    const { replies, ms } = await priced(
      scene,
      Array.from({ length: times }, () => request(ground.victim.domain)),
      4,
    );
    const net = ms - (idle * (performance.now() - from)) / replies.length;
    const statuses = new Set(replies.map(({ status }) => status));
    return {
      measured: `${inMs(net)} of processor time a body; ${tallyLine(sender.take())}`,
      faults: [
        ...must(
          replies.some(({ status }) => status === 429 || status === 599),
          "nothing is refused as too much",
        ),
        ...must(
          [...statuses].every((status) => [401, 422, 429, 599].includes(status)),
          `${[...statuses].join(", ")}`,
        ),
        ...must(net < 10, `a bogus body costs ${inMs(net)} of processor time`),
      ],
    };
  },
};

export const bodyAttacks: readonly Attack[] = [brackets, documents, bogusCommerce];
