import { createHash } from "node:crypto";
import { splitNames } from "../../contract/analytics-filters.ts";
import { noFilters } from "../../testkit/analytics-model/asked.ts";
import type { Check } from "../../testkit/analytics-model/checks.ts";
import {
  answersCheck,
  breakdownCheck,
  comparisonCheck,
  funnelCheck,
  overviewCheck,
  pathsCheck,
  productsCheck,
  summaryCheck,
  trafficCheck,
} from "../../testkit/analytics-model/checks.ts";
import { dayOf, plusDays } from "../../testkit/analytics-model/days.ts";
import { call, sameSet, walkList } from "./call.ts";
import type { KnownExport, Shop } from "./ledger.ts";
import { tellShop } from "./model.ts";
import type { World } from "./world.ts";

/** Integrators that read: lists, people, searches, analytics, exports. Their answers are compared with the models. */

/** Lists that are compared with the ledger row by row. */
export async function lists(world: World, shop: Shop): Promise<void> {
  const { steps } = world.draws;
  const limit = steps.int(1, 6);
  switch (steps.pick(["quizzes", "profiles", "profiles", "events", "versions", "store", "quiz"])) {
    case "quizzes": {
      const rows = await walkList(world, shop, "/v1/quizzes", limit);
      if (rows)
        sameSet(
          world,
          "quizzes listed",
          rows.map(({ id }) => id),
          shop.live.map(({ id }) => id),
        );
      return;
    }
    case "profiles":
      return profiles(world, shop);
    case "events":
      return void (await walkList(world, shop, "/v1/events", 50));
    case "store":
      return void (await call(world, shop, "GET", "/v1/store"));
    case "versions": {
      if (shop.live.length === 0) return;
      const quiz = steps.pick(shop.live);
      const rows = await walkList(world, shop, `/v1/quizzes/${quiz.id}/versions`, limit);
      if (rows)
        sameSet(
          world,
          "versions listed",
          rows.map(({ id }) => id),
          quiz.versions.map(({ id }) => id),
        );
      return;
    }
    default: {
      if (shop.quizzes.length === 0) return;
      const quiz = steps.pick(shop.quizzes);
      await call(world, shop, "GET", `/v1/quizzes/${quiz.id}`, { expected: [quiz.deleted ? 404 : 200] });
    }
  }
}

async function profiles(world: World, shop: Shop): Promise<void> {
  const { steps } = world.draws;
  const rows = await walkList(world, shop, "/v1/profiles", steps.int(1, 10));
  if (rows === null) return;
  const people = shop.people.people.length;
  if (shop.exact && rows.length !== people)
    world.fail(`${rows.length} people are listed, and ${people} there should be`);
  if (rows.length === 0) return;
  const { id } = steps.pick(rows);
  const answer = await call(world, shop, "GET", `/v1/profiles/${id}`);
  if (answer === null || !shop.exact) return;
  const contacts = answer.body.identities.map(({ kind, value }: { kind: string; value: string }) => `${kind}:${value}`);
  const known = shop.people.people.some((person) => [...person.contacts].sort().join() === contacts.sort().join());
  if (!known) world.fail(`${id} has the contacts ${contacts}, which nobody has`);
}

/** A round that loses its connection leaves sessions to the next one. */
async function endIdleSessions({ worker }: World): Promise<void> {
  for (let met = -1; met !== worker.life.met && !worker.life.dead; ) {
    met = worker.life.met;
    await worker.sessions();
  }
}

/** Searches for everybody who meets a few simple conditions, and compares with the model. */
export async function searches(world: World, shop: Shop): Promise<void> {
  const { steps } = world.draws;
  await endIdleSessions(world);
  const [body, holds] = steps.pick(questions);
  const answer = await call(world, shop, "POST", "/v1/profiles/search?limit=100", { body });
  if (answer === null || !shop.exact || world.worker.life.dead) return;
  const expected = shop.people.people.filter((person) => holds([...person.contacts]));
  if (answer.body.total !== expected.length) {
    world.fail(`a search for ${JSON.stringify(body)} found ${answer.body.total} people, not ${expected.length}`);
  }
}

const hasKind = (kind: string) => (contacts: string[]) => contacts.some((contact) => contact.startsWith(`${kind}:`));
const questions: readonly (readonly [object, (contacts: string[]) => boolean])[] = [
  [{}, () => true],
  [{ has_email: true }, hasKind("email")],
  [{ has_phone: true }, hasKind("phone")],
  [{ has_email: false }, (contacts) => !hasKind("email")(contacts)],
];

const zones = ["UTC", "America/New_York", "Asia/Kathmandu", "Africa/Cairo"];

/** Asks one analytics question, and compares every figure of a freshly computed answer with the naive model. */
export async function analytics(world: World, shop: Shop): Promise<void> {
  await endIdleSessions(world);
  if (world.worker.life.dead) return;
  const now = world.time.now();
  const check = drawCheck(world, shop, now);
  if (check === null) return;
  const answer = await call(world, shop, "GET", check.path);
  const asOf = Date.parse(answer?.body.freshness.as_of ?? "");
  // an older answer is only as current as it declares
  if (answer === null || answer.body.freshness.stale || asOf !== now) return;
  const [difference] = check.differences(answer.body);
  if (difference !== undefined) world.fail(`${check.path} as of ${new Date(now).toISOString()}: ${difference}`);
}

function drawCheck(world: World, shop: Shop, now: number): Check | null {
  const { steps } = world.draws;
  const told = tellShop(shop, now);
  const tz = steps.pick(zones);
  const to = dayOf(now, tz);
  const from = plusDays(to, -steps.pick([0, 1, 6, 29]));
  const filters = steps.chance(0.7) ? noFilters : { ...noFilters, channel: "online_store" };
  const ofStore = { quiz: null, from, to, tz, filters };
  const live = shop.quizzes.flatMap((quiz, index) => (quiz.deleted ? [] : [index]));
  const quiz = live.length === 0 ? null : steps.pick(live);
  const by = steps.pick(splitNames);
  const question = { ...ofStore, quiz: quiz ?? 0 };
  const sorts = { sort: steps.pick(["revenue", "units", "title"]), bucket: null, limit: 50 };
  const orders = shop.exact;
  const possible: (() => Check | null)[] = [
    () => (orders ? overviewCheck(told, ofStore) : null),
    () => breakdownOf(told, ofStore),
    () => (quiz === null || !orders ? null : overviewCheck(told, question)),
    () => (quiz === null ? null : funnelCheck(told, question)),
    () => (quiz === null ? null : pathsCheck(told, question, steps.pick(["all", "finished", "left"] as const))),
    () => (quiz === null || !orders ? null : breakdownOf(told, question)),
    () => (quiz === null || !orders ? null : trafficCheck(told, question, "utm_source", 10)),
    () => (quiz === null || !orders ? null : answersCheck(told, question, null)),
    () => (orders ? productsCheck(told, ofStore, sorts) : null),
    () => (orders ? summaryCheck(told, tz, steps.pick(["7d", "30d"] as const)) : null),
    () => (orders ? comparisonCheck(told, ofStore, { q: "", sort: "name", dir: "asc", limit: 25, offset: 0 }) : null),
  ];
  const breakdownOf = (of: typeof told, asked: typeof ofStore | typeof question) =>
    orders ? breakdownCheck(of, asked, by) : null;
  return steps.pick(possible)();
}

/** Requests an export, or checks one that was requested before. */
export async function exports(world: World, shop: Shop): Promise<void> {
  const { steps } = world.draws;
  const known = [...shop.exports.values()];
  if (known.length > 0 && steps.chance(0.6)) return readExport(world, shop, steps.pick(known));
  if (steps.chance(0.15)) return void (await walkList(world, shop, "/v1/exports", 2));
  const dataset = steps.pick(["profiles", "responses", "quiz_analytics"]);
  const format = steps.pick(["csv", "json"]);
  const search = dataset !== "quiz_analytics" && steps.chance(0.25) ? { search: { has_email: true } } : {};
  const body = { dataset, format, ...search };
  const answer = await call(world, shop, "POST", "/v1/exports", { body, expected: [202, 409] });
  if (answer?.status !== 202) return;
  shop.exports.set(answer.body.id, { id: answer.body.id, dataset, format, rows: null, searched: "search" in search });
}

/** Sets the expected number of rows of exports that begin now: the rows of the list at that moment [exports.moment]. */
export function expectRows(world: World, shop: Shop, startedAt: (id: string) => number | null): void {
  const now = world.time.now();
  for (const known of shop.exports.values()) {
    if (startedAt(known.id) !== now || !shop.exact || known.searched) continue;
    if (known.dataset === "profiles") known.rows = shop.people.people.length;
    if (known.dataset === "responses") {
      known.rows = tellShop(shop, now).sessions.filter((session) => session.started !== null).length;
    }
  }
}

async function readExport(world: World, shop: Shop, known: KnownExport): Promise<void> {
  const answer = await call(world, shop, "GET", `/v1/exports/${known.id}`, { expected: [200, 404] });
  const { download_url: link, row_count: rows, bytes } = answer?.body ?? {};
  if (typeof link !== "string") return;
  const file = await world.request("GET", link, { headers: { "accept-encoding": "identity" } });
  if (file.status === 503) return;
  if (file.status !== 200) return world.fail(`the file of ${known.id} was answered ${file.status}`);
  const digest = `sha-256=:${createHash("sha256").update(file.text).digest("base64")}:`;
  if (file.headers["repr-digest"] !== digest) world.fail(`the file of ${known.id} is not of its digest`);
  if (Buffer.byteLength(file.text) !== bytes) world.fail(`the file of ${known.id} is not as long as it says`);
  const found = known.format === "csv" ? csvRows(file.text) : JSON.parse(file.text).rows?.length;
  if (known.format === "csv" && found !== rows)
    world.fail(`the file of ${known.id} has ${found} rows, and says ${rows}`);
  if (known.rows !== null && rows !== known.rows)
    world.fail(`${known.dataset} ${known.id}: ${rows} rows, not ${known.rows}`);
}

/** No value of the simulation contains a line break. */
const csvRows = (text: string): number => text.split("\r\n").length - 2;
