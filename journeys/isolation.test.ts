import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { shortQuiz } from "./documents.ts";
import {
  type Client,
  type ListOf,
  type Person,
  type PersonDetail,
  type QuizSummary,
  request,
  type VersionSummary,
} from "./http.ts";
import { type Place, run } from "./program.ts";
import { sharedProgram } from "./shared-program.ts";
import { openShopWithKey, publishQuiz, type Shop } from "./shop.ts";
import { type Live, newId, Visit } from "./visit.ts";

/**
 * No route of a store gives away, changes or even confirms what belongs to another: the real program, over HTTP
 * and on the command line. Every kind of name in every place of every operation: server/main/isolation.test.ts.
 */

interface Tenant {
  shop: Shop;
  api: Client;
  live: Live;
  visit: Visit;
  person: string;
  endpoint: string;
  delivery: string;
  file: string;
}

interface Route {
  method: string;
  path: string;
  parameters: string[];
  query: string[];
}

/** What a route needs to get as far as its ids. */
const queries: Record<string, string> = {
  "GET /v1/analytics/breakdown": "?by=channel",
  "GET /v1/quizzes/{}/analytics/breakdown": "?by=channel",
};
const bodies: Record<string, object> = {
  "POST /v1/exports": { dataset: "quiz_analytics" },
  "POST /v1/webhooks": { url: "https://hooks.example.com/isolation", topics: ["quiz.published"] },
  "POST /v1/webhooks/{}/redeliver-failed": { since: "2026-01-01T00:00:00Z" },
  "PATCH /v1/quizzes/{}/draft": { run_id: newId("run"), changes: [] },
  "POST /v1/quizzes/{}/draft/run/end": { run_id: newId("run") },
};

let program: Place;
let ours: Tenant;
let theirs: Tenant;
let routes: Route[];

async function settle(): Promise<Tenant> {
  const { shop, api } = await openShopWithKey(program, { limits: { capacity: 100_000, leak_per_second: 10_000 } });
  const live = await publishQuiz(program, shop, shortQuiz);
  let visit = new Visit(live);
  for (const name of ["ann", "ben", "cid"]) {
    visit = new Visit(live);
    const mail = visit.wrote("contact", "mail", `${name}@example.com`);
    await visit.send(mail, visit.chose("first", "pick", "one"), visit.entered("result"), visit.finished("result"));
  }
  await api.post(`/v1/quizzes/${live.quiz_id}/versions`);
  const people = await api.get<ListOf<Person>>("/v1/profiles");
  expect(people.body.data).toHaveLength(3);
  const topics = ["quiz.finished"];
  const endpoint = await api.post<{ id: string }>("/v1/webhooks", { url: "https://hooks.example.com/quiz", topics });
  const delivery = await api.post<{ id: string }>(`/v1/webhooks/${endpoint.body.id}/ping`);
  expect([endpoint.status, delivery.status]).toEqual([201, 202]);
  const file = await api.post<{ id: string }>("/v1/exports", { dataset: "profiles" });
  expect(file.status).toBe(202);
  const ids = { endpoint: endpoint.body.id, delivery: delivery.body.id, file: file.body.id };
  return { shop, api, live, visit, person: people.body.data[0]?.id ?? "", ...ids };
}

interface OpenApi {
  paths: Record<string, Record<string, { parameters?: { in: string; name: string }[] }>>;
}

beforeAll(async () => {
  program = await sharedProgram();
  [ours, theirs] = [await settle(), await settle()];
  const { paths } = (await request<OpenApi>(`${program.url}/openapi.json`)).body;
  routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [] }]) => ({
      ...{ method: method.toUpperCase(), path, parameters: path.match(/\{\w+\}/g) ?? [] },
      query: parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name),
    })),
  );
  routes = routes.filter(({ path }) => path.startsWith("/v1/"));
}, 120_000);

/** Everything a store shows of itself. */
async function portrait({ api, live, person, endpoint }: Tenant): Promise<unknown> {
  const quizzes = (await api.get<ListOf<QuizSummary>>("/v1/quizzes")).body;
  const versions = (await api.get<ListOf<VersionSummary>>(`/v1/quizzes/${live.quiz_id}/versions`)).body;
  const people = (await api.get<ListOf<Person>>("/v1/profiles")).body;
  const detail = (await api.get<PersonDetail>(`/v1/profiles/${person}`)).body;
  const { secret } = (await api.post<{ secret: string }>(`/v1/webhooks/${endpoint}/reveal-secret`)).body;
  const { url, topics, description } = (await api.get<Record<string, unknown>>(`/v1/webhooks/${endpoint}`)).body;
  const webhook = { secret, url, topics, description };
  return { quizzes, versions, people, detail, webhook, store: (await api.get("/v1/store")).body };
}

/** Every id of a tenant, and ids that are nobody's. */
const idsOf = ({ live, visit, person, endpoint, delivery, file }: Tenant): string[] => [
  ...[live.quiz_id, live.version_id, person, visit.session.id, String(visit.session["visitor_id"])],
  ...[endpoint, delivery, file],
];

const nobodys = (): string[] => ["quiz", "ver", "prof", "sess", "vis", "key", "exp", "whe", "whd", "evt"].map(newId);

const nameOf = ({ method, path }: Route): string => `${method} ${path.replaceAll(/\{\w+\}/g, "{}")}`;

/** A route's path with its ids filled in. */
const filled = (route: Route, ids: readonly string[]): string =>
  route.parameters.reduce((text, parameter, index) => text.replace(parameter, ids[index] ?? ""), route.path) +
  (queries[nameOf(route)] ?? "");

const ownIds = (route: Route, { live, person, endpoint, delivery, file }: Tenant): [string, string] => {
  if (route.path.includes("exports")) return [file, file];
  if (route.path.includes("profiles")) return [person, person];
  return route.path.includes("webhooks") ? [endpoint, delivery] : [live.quiz_id, live.version_id];
};

const own = (route: Route, tenant: Tenant): string => filled(route, ownIds(route, tenant));

describe("ids in the path", () => {
  it("of another store, of another kind and of nobody are 404, and change nothing [api.not-found, api.one-store]", async () => {
    const before = await portrait(theirs);
    const mine = await portrait(ours);
    const asked = new Set<string>();
    for (const route of routes.filter(({ parameters }) => parameters.length > 0)) {
      const strangers = [...idsOf(theirs), ...nobodys(), theirs.shop.store_id, theirs.shop.publishable_key];
      const firsts = strangers.map((id) => [id, id]);
      const [[first, second], stranger] = [ownIds(route, ours), ownIds(route, theirs)];
      const seconds = strangers.map((id) => [first, id]);
      const mixed = [stranger, [stranger[0], second]];
      for (const ids of [...firsts, ...mixed, ...(route.parameters.length > 1 ? seconds : [])]) {
        const answer = await ours.api.ask(route.method, filled(route, ids), bodies[nameOf(route)]);
        expect([nameOf(route), ids, answer.status, answer.body?.title]).toEqual([nameOf(route), ids, 404, "not_found"]);
        expect(answer.body.detail).toBe("Not found");
        for (const id of ids) expect(answer.text).not.toContain(id);
        asked.add(nameOf(route));
      }
    }
    expect(asked.size).toBeGreaterThanOrEqual(9);
    expect(await portrait(theirs)).toEqual(before);
    expect(await portrait(ours)).toEqual(mine);
  });

  it("of another kind of our own are 404 too [api.not-found]", async () => {
    for (const route of routes.filter(({ parameters }) => parameters.length > 0)) {
      const [right, second] = ownIds(route, ours);
      for (const id of idsOf(ours).filter((other) => other !== right)) {
        const answer = await ours.api.ask(route.method, filled(route, [id, second]), bodies[nameOf(route)]);
        expect([nameOf(route), id, answer.status]).toEqual([nameOf(route), id, 404]);
      }
    }
  });
});

describe("ids in the query", () => {
  it("of another store are 422 by name, cursors of another store too [api.given-ids, api.cursors]", async () => {
    const before = await portrait(theirs);
    let cursors = 0;
    for (const route of routes.filter(({ method }) => method === "GET")) {
      if (route.query.includes("cursor")) {
        const page = await theirs.api.get<ListOf<unknown>>(`${own(route, theirs)}?limit=1`);
        expect([nameOf(route), page.status]).toEqual([nameOf(route), 200]);
        if (page.body.next_cursor !== null) {
          cursors += 1;
          const answer = await ours.api.get(`${own(route, ours)}?limit=1&cursor=${page.body.next_cursor}`);
          expect([nameOf(route), answer.status, answer.body.errors?.[0]?.field]).toEqual([
            nameOf(route),
            422,
            "query.cursor",
          ]);
        }
      }
      if (!route.query.includes("quiz_id")) continue;
      for (const id of [...idsOf(theirs), newId("quiz"), ours.live.version_id, ours.person]) {
        const answer = await ours.api.get(`${own(route, ours)}?quiz_id=${id}`);
        expect([id, answer.status, answer.body.errors?.[0]?.field]).toEqual([id, 422, "query.quiz_id"]);
      }
    }
    expect(cursors).toBeGreaterThanOrEqual(2);
    expect(await portrait(theirs)).toEqual(before);
  });

  it("of a deleted quiz of our own is taken in the list of people [people.parameters]", async () => {
    const deleted = await publishQuiz(program, ours.shop, shortQuiz, "Soon gone");
    const v = new Visit(deleted);
    await v.send(v.chose("first", "pick", "one"), v.wrote("contact", "mail", "gone.quiz@example.com"));
    expect((await ours.api.delete(`/v1/quizzes/${deleted.quiz_id}`)).status).toBe(200);
    const people = await ours.api.get<ListOf<Person>>(`/v1/profiles?quiz_id=${deleted.quiz_id}`);
    expect([people.status, people.body.data.map(({ email }) => email)]).toEqual([200, ["gone.quiz@example.com"]]);
  });
});

describe("people with the same contact", () => {
  it("are different people in different stores [api.one-store]", async () => {
    const [mine, other] = [
      await ours.api.get<ListOf<Person>>("/v1/profiles?q=ann@"),
      await theirs.api.get<ListOf<Person>>("/v1/profiles?q=ann@"),
    ];
    expect([mine.body.data.length, other.body.data.length]).toEqual([1, 1]);
    expect(mine.body.data[0]?.id).not.toBe(other.body.data[0]?.id);
  });
});

describe("the storefront", () => {
  it("does not touch another store's sessions, quizzes and people [api.one-store, storefront.quiz-version]", async () => {
    const before = await portrait(theirs);
    const { session } = theirs.visit;
    const mixed: Live[] = [
      { ...ours.live, quiz_id: theirs.live.quiz_id, version_id: theirs.live.version_id },
      { ...ours.live, version_id: theirs.live.version_id },
      ours.live,
    ];
    for (const [index, live] of mixed.entries()) {
      const id = index === 2 ? session.id : newId("sess");
      const v = new Visit(live, { session: { id, visitor_id: session["visitor_id"] } });
      v.seq = 50;
      const answer = await v.send(
        v.chose("first", "pick", "two"),
        v.wrote("contact", "mail", `mixed${index}@example.com`),
      );
      expect(answer.status).toBeLessThan(500);
    }
    expect(await portrait(theirs)).toEqual(before);
  });
});

describe("the command line", () => {
  it("does not replace a quiz of another store [quizzes.import]", async () => {
    const before = await portrait(theirs);
    const file = join(program.data, "intruder.json");
    await writeFile(file, JSON.stringify(shortQuiz));
    const there = ["--data", program.data, "--json"];
    const more = ["--store", ours.shop.domain, "--quiz", theirs.live.quiz_id, "--publish", ...there];
    const outcome = await run(["quiz", "import", file, ...more]);
    expect([outcome.status, outcome.stdout]).toEqual([1, ""]);
    expect(await portrait(theirs)).toEqual(before);
  });
});
