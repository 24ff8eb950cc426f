import { setTimeout as pause } from "node:timers/promises";
import { allScopes } from "../contract/scopes.ts";
import { fullQuiz, shortQuiz } from "../journeys/documents.ts";
import type { Program } from "../journeys/program.ts";
import { Visit } from "../journeys/visit.ts";
import type { Opened } from "../server/main/foundations.ts";
import { revokeKey } from "../server/stores/admin.ts";
import { answers, openReceiver } from "../testkit/receiver.ts";
import { canary } from "./fuzz-check.ts";
import { Known } from "./fuzz-known.ts";
import type { FuzzCommerce, FuzzShop } from "./fuzz-shoppers.ts";
import type { FuzzKey } from "./fuzz-shot.ts";
import {
  clientOf,
  fillWithDemo,
  type HardShop,
  liveOf,
  openHardShop,
  openKey,
  publishQuiz,
  type ServedProgram,
  startProgram,
} from "./shops.ts";
import type { HardRun } from "./suite.ts";

/**
 * The real program with four shops: the main one, which gets the requests and has a month of shoppers and high limits;
 * a stranger to it; one with tight limits; and one whose plan is paused. A fifth belongs to the commerce platform, and
 * the main one has a test twin.
 */
export interface World {
  program: Program;
  known: Known;
  keys: readonly FuzzKey[];
  full: FuzzKey;
  twin: FuzzKey;
  shop: FuzzShop;
  commerce: readonly FuzzCommerce[];
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

/** Keys of the main shop: one with everything, one for each scope, and invalid ones. */
async function mainKeys(opened: Opened, shop: HardShop): Promise<FuzzKey[]> {
  const keyOf = async (scopes: readonly string[], expires?: string) => openKey(opened, shop, scopes, { expires });
  const full = key("full", shop.key, "main", allScopes);
  const narrow: FuzzKey[] = [];
  for (const scope of allScopes) narrow.push(key(scope, (await keyOf([scope])).key, "main", [scope]));
  const expired = await keyOf(allScopes, new Date(Date.now() + 500).toISOString());
  // it must have expired before the first request, by the program's clock too
  await pause(1_500);
  const revoked = await keyOf(allScopes);
  await opened.database.transaction((tx) => revokeKey(tx, opened, revoked.key_id));
  const useless = [key("expired", expired.key, "main", null), key("revoked", revoked.key, "main", null)];
  return [full, ...narrow, ...useless, key("none", null, "main", null)];
}

/** The stranger: its ids and texts must not be in any answer to others. */
async function fillStranger({ program, opened }: ServedProgram, known: Known): Promise<void> {
  const shop = await openHardShop(opened, { name: canary });
  const api = clientOf(shop, program.url);
  const live = liveOf({ ...shop, ...(await publishQuiz(opened, shop, fullQuiz, canary)) }, program.url);
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

interface WorldSize {
  sessions: number;
  doomed: number;
}

export async function openWorld(run: Pick<HardRun, "atEnd">, size: WorldSize): Promise<World> {
  const hook = await openReceiver();
  hook.answer(answers.status(200, {}, "taken"));
  run.atEnd(() => hook.close());
  const served = await startProgram(run, { WEBHOOK_ALLOW_HOSTS: hook.host });
  const { program, opened } = served;
  const known = new Known([`http://${hook.host}`, "https://hooks.example.com", "https://203.0.113.7"]);
  const shop = await openHardShop(opened, { limits: { webhook_endpoints: 60 } });
  // so low that a share of the requests reaches them, even on a slow machine
  const tight = await openHardShop(opened, { plan: "plus", limits: { capacity: 8, leak_per_second: 1 } });
  const paused = await openHardShop(opened, { plan: "other", limits: null });
  const bought = await openHardShop(opened, { limits: null });
  await fillStranger(served, known);
  await fillWithDemo(opened, shop, size.sessions);
  const keys = await mainKeys(opened, shop);
  for (let count = 0; count < size.doomed; count += 1) {
    known.doomed.push((await publishQuiz(opened, shop, shortQuiz, "Doomed")).quizId);
  }
  await publishQuiz(opened, shop, fullQuiz, "Full");
  const full = keys[0] as FuzzKey;
  const twin = key("twin", (await openKey(opened, shop, allScopes, { test: true })).key, "twin", allScopes);
  const others = [key("tight", tight.key, "tight", allScopes), key("paused", paused.key, "paused", allScopes), twin];
  return {
    ...{ program, known, full, twin, keys: [...keys, ...others], shop: await learn(program, shop, known) },
    commerce: [
      { domain: shop.domain, secret: shop.commerceSecret, topics: orderTopics },
      { domain: bought.domain, secret: bought.commerceSecret, topics: [...orderTopics, ...shopTopics] },
    ],
  };
}

/** Reads what exists, so that the first requests can use real ids. */
async function learn(program: Program, shop: HardShop, known: Known): Promise<FuzzShop> {
  const api = clientOf(shop, program.url);
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
  return { publishableKey: shop.publishableKey, live };
}
