import { setTimeout as pause } from "node:timers/promises";
import { Type } from "typebox";
import { strict } from "../contract/common.ts";
import { type Operation, operation } from "../contract/operation.ts";
import { ownStore, sql } from "../server/platform/database/sql.ts";
import { Tagged } from "../server/platform/http/etag.ts";
import { pathId, type Route, readRoute, writeRoute } from "../server/platform/http/operations.ts";
import { parseId } from "../server/platform/ids.ts";
import { notFound } from "../server/platform/problems.ts";

/** Operations that only exist in tests: one of each cost class, with every kind of input. */

const echo = Type.Object({}, { additionalProperties: true });
const answered = { status: 200, shape: echo, example: {} } as const;
const shared = { tag: "Store", summary: "Only in tests", answer: answered } as const;

const things = operation({
  ...shared,
  id: "listThings",
  method: "GET",
  path: "/v1/things",
  scope: "quizzes:read",
  cost: "read",
  query: Type.Object(
    {
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
      live: Type.Optional(Type.Boolean()),
      name: Type.Optional(Type.String({ maxLength: 10 })),
      day: Type.Optional(Type.String({ format: "date" })),
    },
    strict,
  ),
});

const thing = operation({
  ...shared,
  id: "getThing",
  method: "GET",
  path: "/v1/things/{quiz_id}",
  scope: "quizzes:read",
  cost: "read",
  params: Type.Object({ quiz_id: Type.String() }),
});

const body = Type.Object(
  {
    label: Type.Optional(Type.String({ maxLength: 200 })),
    count: Type.Optional(Type.Integer({ minimum: 0 })),
    inner: Type.Optional(Type.Object({ ids: Type.Array(Type.String({ pattern: "^quiz_[0-9a-f]{32}$" })) }, strict)),
    /** makes the work fail */
    fail: Type.Optional(Type.Boolean()),
    /** makes the work take this many milliseconds */
    take_ms: Type.Optional(Type.Integer()),
  },
  strict,
);

const makeThing = operation({
  ...shared,
  id: "makeThing",
  method: "POST",
  path: "/v1/things",
  scope: "quizzes:write",
  cost: "write",
  body,
  answer: { ...answered, status: 201, location: "The thing's address" },
});

const touchThing = operation({
  ...shared,
  id: "touchThing",
  method: "POST",
  path: "/v1/things/{quiz_id}/touch",
  scope: "quizzes:write",
  cost: "write",
  params: Type.Object({ quiz_id: Type.String() }),
});

const figures = operation({
  ...shared,
  id: "getFigures",
  method: "GET",
  path: "/v1/figures",
  scope: "analytics:read",
  cost: "analytics",
  query: Type.Object({ outcome: Type.Optional(Type.String()) }, strict),
});

const searchThings = operation({
  ...shared,
  id: "searchThings",
  method: "POST",
  path: "/v1/things/search",
  scope: "profiles:read",
  cost: "search",
  body,
});

const retiredThing = operation({
  ...shared,
  id: "getRetiredThing",
  method: "GET",
  path: "/v1/retired",
  scope: null,
  cost: "read",
  deprecated: { since: 1_767_225_600, sunset: 1_775_001_600, link: "https://docs.example/things" },
});

export interface TestRoutes {
  routes: Route[];
  /** how often a write's work ran, failures included */
  worked: { count: number };
  /** runs before an analytics answer is returned */
  beforeFigures: { run: () => void };
}

export function testRoutes(): TestRoutes {
  const worked = { count: 0 };
  const beforeFigures: TestRoutes["beforeFigures"] = { run: () => undefined };
  const routes = [
    readRoute(things, async ({ query }) => ({ query })),
    readRoute(thing, async ({ params }) => {
      const uuid = pathId((text) => parseId("quiz", text), params["quiz_id"]);
      if (!uuid.endsWith("0001")) throw notFound();
      return { uuid };
    }),
    writeRoute(makeThing, async ({ caller, body: given }, tx) => {
      worked.count += 1;
      const number = worked.count;
      await tx
        .forStore(caller.store.id)
        .all(sql`UPDATE store_revisions SET revision = revision + 1 WHERE store_id = ${ownStore}`);
      if (given.take_ms) await pause(given.take_ms);
      if (given.fail) throw notFound();
      return { body: { number, given, secret: "whsec_canary" }, location: `/v1/things/${number}` };
    }),
    writeRoute(touchThing, async () => ({ body: { touched: true } })),
    readRoute(figures, async ({ query }) => {
      beforeFigures.run();
      if (query.outcome === "missing") throw notFound();
      return new Tagged("abc", { views: 1 });
    }),
    readRoute(searchThings, async ({ body: given }) => ({ given })),
    readRoute(retiredThing, async () => ({ retired: true })),
  ];
  return { routes, worked, beforeFigures };
}

/** Reads and writes that take this many seconds, by `pg_sleep`. */
export function slowRoutes(seconds: number): Route[] {
  const slow = (id: string, method: "GET" | "POST"): Operation =>
    operation({ ...shared, id, method, path: "/v1/slow", scope: null, cost: method === "GET" ? "read" : "write" });
  const sleep = sql`SELECT pg_sleep(${seconds}::float8)`;
  return [
    readRoute(slow("getSlow", "GET"), async (_request, db) => {
      await db.all(sleep);
      return {};
    }),
    writeRoute(slow("makeSlow", "POST"), async ({ caller }, tx) => {
      await tx
        .forStore(caller.store.id)
        .all(sql`UPDATE store_revisions SET revision = revision + 1 WHERE store_id = ${ownStore}`);
      await tx.all(sleep);
      return { body: {} };
    }),
  ];
}
