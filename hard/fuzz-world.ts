import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { fullQuiz, shortQuiz } from "../journeys/documents.ts";
import { client } from "../journeys/http.ts";
import { cleanUp, freshFolder, type Program, start } from "../journeys/program.ts";
import { everyScope } from "../journeys/shop.ts";
import { Visit } from "../journeys/visit.ts";
import { canary } from "./fuzz-check.ts";
import { Known } from "./fuzz-known.ts";
import type { FuzzCommerce, FuzzShop } from "./fuzz-shoppers.ts";
import { type MadeShop, Operator } from "./fuzz-shops.ts";
import type { FuzzKey } from "./fuzz-shot.ts";

/**
 * The real program with four shops: one that is asked, with a month of shoppers and limits out of the way; one that is
 * a stranger to it; one with tight limits; one whose plan is paused. A fifth belongs to the commerce platform.
 */
export interface World {
  program: Program;
  known: Known;
  keys: readonly FuzzKey[];
  full: FuzzKey;
  shop: FuzzShop;
  commerce: readonly FuzzCommerce[];
  close(): Promise<void>;
}

interface Hook {
  host: string;
  close(): Promise<void>;
}

/** Takes whatever is sent to it. */
async function openHook(): Promise<Hook> {
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(200).end("taken"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    host: `127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const key = (
  name: string,
  text: string | null,
  store: FuzzKey["store"],
  scopes: readonly string[] | null,
): FuzzKey => ({
  ...{ name, store, good: scopes !== null, scopes: new Set(scopes ?? []) },
  header: text === null ? null : `Bearer ${text}`,
});

/** Keys of the main shop: one for everything, one for each scope, and those that open nothing. */
async function mainKeys(operator: Operator, shop: MadeShop): Promise<FuzzKey[]> {
  const full = key("full", await operator.key(shop, everyScope), "main", everyScope);
  const narrow: FuzzKey[] = [];
  for (const scope of everyScope) narrow.push(key(scope, await operator.key(shop, [scope]), "main", [scope]));
  const soon = new Date(Date.now() + 500).toISOString();
  const expired = key("expired", await operator.key(shop, everyScope, soon), "main", null);
  // over before the first request is sent, by the program's clock too
  await pause(1_500);
  const revoked = key("revoked", await operator.revokedKey(shop, everyScope), "main", null);
  return [full, ...narrow, expired, revoked, key("none", null, "main", null)];
}

/** The stranger: its ids and texts must be in no answer to anybody else. */
async function fillStranger(program: Program, operator: Operator, known: Known): Promise<void> {
  const shop = await operator.shop("enterprise", { name: canary });
  const api = client(program.url, await operator.key(shop, everyScope));
  const live = await operator.quiz(program.url, shop, fullQuiz, canary);
  const visit = new Visit(live);
  await visit.send(visit.chose("skin_page", "skin", "dry"), visit.wrote("contact", "mail", `${canary}@example.com`));
  const endpoint = { url: `https://${canary}.example/`, topics: ["quiz.finished"] };
  const made = await api.post<{ id: string }>("/v1/webhooks", endpoint);
  await api.post(`/v1/webhooks/${made.body.id}/ping`);
  await api.post("/v1/exports", { dataset: "profiles" });
  await api.post(`/v1/quizzes/${live.quiz_id}/versions`, { label: canary });
  const paths = ["quizzes", `quizzes/${live.quiz_id}/versions`, "profiles", "exports", "webhooks", "events"];
  for (const path of [...paths, `webhooks/${made.body.id}/deliveries`])
    known.learnStrangers((await api.get(`/v1/${path}`)).text);
  known.learnStrangers(JSON.stringify(visit.session));
}

const orderTopics = [
  ...["orders/create", "orders/updated", "orders/cancelled"],
  ...["products/create", "products/update", "products/delete"],
];
const shopTopics = ["shop/update", "customers/redact", "customers/data_request", "shop/redact", "app/uninstalled"];

export async function openWorld(size: { sessions: number; doomed: number }): Promise<World> {
  const data = await freshFolder();
  const hook = await openHook();
  const opened: { program?: Program; operator?: Operator } = {};
  const close = async () => {
    await opened.program?.stop();
    await hook.close();
    await cleanUp(data);
  };
  try {
    const program = await start(data, { WEBHOOK_ALLOW_HOSTS: hook.host });
    opened.program = program;
    opened.operator = await Operator.open(data);
    return { ...(await fill(program, opened.operator, hook, size)), program, close };
  } catch (error) {
    await close();
    throw error;
  } finally {
    await opened.operator?.close();
  }
}

async function fill(program: Program, operator: Operator, hook: Hook, size: { sessions: number; doomed: number }) {
  const known = new Known([`http://${hook.host}`, "https://hooks.example.com", "https://203.0.113.7"]);
  const limits = { capacity: 1_000_000, leak_per_second: 1_000_000, webhook_endpoints: 60 };
  const shop = await operator.shop("enterprise", { limits });
  const [tight, paused, bought] = [
    // so few that a share of the requests meets them, however slow the machine
    await operator.shop("plus", { limits: { capacity: 8, leak_per_second: 1 } }),
    await operator.shop("other"),
    await operator.shop("enterprise"),
  ];
  await fillStranger(program, operator, known);
  await operator.demo(shop, size.sessions);
  const keys = await mainKeys(operator, shop);
  for (let count = 0; count < size.doomed; count += 1) {
    known.doomed.push((await operator.quiz(program.url, shop, shortQuiz, "Doomed")).quiz_id);
  }
  await operator.quiz(program.url, shop, fullQuiz, "Full");
  const full = keys[0] as FuzzKey;
  const others = [
    key("tight", await operator.key(tight, everyScope), "tight", everyScope),
    key("paused", await operator.key(paused, everyScope), "paused", everyScope),
  ];
  return {
    ...{ known, full, shop: await learn(program, shop, known, full), keys: [...keys, ...others] },
    commerce: [
      { domain: shop.domain, secret: shop.commerce_secret, topics: orderTopics },
      { domain: bought.domain, secret: bought.commerce_secret, topics: [...orderTopics, ...shopTopics] },
    ],
  };
}

/** Reads what there is, so that the first requests have ids to ask for. */
async function learn(program: Program, shop: MadeShop, known: Known, { header }: FuzzKey): Promise<FuzzShop> {
  const api = client(program.url, header?.replace("Bearer ", "") ?? "");
  for (const url of known.receivers) await api.post("/v1/webhooks", { url: `${url}/0`, topics: ["quiz.finished"] });
  const live: [string, string][] = [];
  const quizzes = await api.get<{ data: { id: string; published_version?: string }[] }>("/v1/quizzes?limit=100");
  for (const { id, published_version } of quizzes.body.data) {
    if (published_version !== undefined && !known.doomed.includes(id)) live.push([id, published_version]);
    for (const path of [`quizzes/${id}`, `quizzes/${id}/versions`]) {
      const answer = await api.get<unknown>(`/v1/${path}`);
      known.learn(answer.body);
      known.learnIds(answer.text);
    }
  }
  for (const path of ["profiles", "webhooks", "events"]) known.learnIds((await api.get(`/v1/${path}`)).text);
  return { publishableKey: shop.publishable_key, live };
}
