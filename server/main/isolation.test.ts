import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { storeOperations as operations } from "../../contract/api.ts";
import type { Operation } from "../../contract/operation.ts";
import { type Answered, type Body, openTestApp, type TestApp } from "../../testkit/app.ts";
import {
  marksOf,
  type NameKind,
  type Names,
  nameKinds,
  nobodys,
  pathKinds,
  pathOf,
  portrait,
  settleTenant,
  type Tenant,
} from "../../testkit/tenants.ts";

/**
 * Every operation, asked with every kind of another store's names in every place that takes one: the answer is that for
 * a name which nobody ever had, and holds nothing of the other store [api.one-store, api.not-found].
 */

interface Case {
  /** beside the path: where names go in the query and in the body */
  query?: (names: Names) => Record<string, string>;
  body?: (names: Names) => object;
}

const nobodysRun = `run_${"0".repeat(32)}`;
const common = { from: "2026-03-01", to: "2026-03-10" };
const analytics: Case = { query: () => common };
const breakdown: Case = { query: () => ({ ...common, by: "channel" }) };

const term = ({ quiz, page, component }: Names) => ({
  ...{ quiz_id: quiz, kind: "text", op: "contains", page_key: page, component_key: component, value: "note" },
});
const terms = (names: Names): object[] => [
  term(names),
  {
    quiz_id: names.quiz,
    kind: "choice",
    op: "in",
    ...{ page_key: `${names.choice.split("_")[0]}_skin` },
    component_key: names.choice,
    option_ids: [names.option],
    option_labels: [names.label],
  },
  { quiz_id: names.quiz, kind: "points", op: "gt", dimension_id: names.dimension, value: 0 },
  { quiz_id: names.quiz, kind: "formula", op: "gt", page_key: names.page, component_key: names.formula, value: 0 },
  { quiz_id: names.quiz, kind: "winner", op: "in", option_ids: [names.dimension] },
  { quiz_id: names.quiz, kind: "session", op: "equals", outcome: names.dimension },
];
const search = (names: Names): object => ({
  quiz_id: names.quiz,
  groups: [{ all: terms(names) }, { all: [{ any: terms(names) }] }],
});

const cases: Readonly<Record<string, Case>> = {
  getStore: {},
  listQuizzes: {},
  getQuiz: {},
  deleteQuiz: {},
  archiveQuiz: {},
  unarchiveQuiz: {},
  listVersions: {},
  saveVersion: { body: () => ({ label: "A label" }) },
  getVersion: {},
  getVersionLint: {},
  getDraftLint: {},
  publishVersion: {},
  requestApproval: {},
  createQuizDraft: {},
  getQuizDraft: {},
  beginDraftRun: { body: () => ({ run_id: nobodysRun }) },
  changeQuizDraft: { body: () => ({ run_id: nobodysRun, changes: [] }) },
  endDraftRun: { body: () => ({ run_id: nobodysRun }) },
  createPreview: { body: ({ version }) => ({ version_id: version }) },
  getAnalyticsSummary: {},
  compareQuizzes: analytics,
  getStoreAnalyticsOverview: analytics,
  getStoreAnalyticsBreakdown: breakdown,
  getStoreAnalyticsProducts: analytics,
  getQuizAnalyticsOverview: analytics,
  getQuizAnalyticsAnswers: { query: ({ choice }) => ({ ...common, component_key: choice }) },
  getQuizAnalyticsFunnel: analytics,
  getQuizAnalyticsBreakdown: breakdown,
  getQuizAnalyticsPaths: analytics,
  getQuizAnalyticsProducts: analytics,
  getQuizAnalyticsTraffic: analytics,
  listProfiles: { query: ({ quiz }) => ({ quiz_id: quiz }) },
  getProfile: {},
  searchProfiles: { body: search },
  listExports: {},
  // an export of people waits in each store already, so that nothing is made where all names are sound
  createExport: { body: (names) => ({ dataset: "profiles", quiz_id: names.quiz, search: search(names) }) },
  getExport: {},
  listEvents: {},
  getEvent: {},
  listWebhooks: {},
  createWebhook: {
    body: ({ quiz }) => ({ url: "https://hooks.example.com/a", topics: ["quiz.started"], quiz_ids: [quiz] }),
  },
  getWebhook: {},
  updateWebhook: { body: ({ quiz }) => ({ quiz_ids: [quiz] }) },
  deleteWebhook: {},
  listDeliveries: {},
  redeliver: {},
  redeliverFailed: { body: () => ({ since: "2026-01-01T00:00:00Z" }) },
  revealSecret: {},
  rotateSecret: {},
  pingWebhook: {},
};

/** Inputs that are free texts and name nothing of a store; an approval is tried with its own quiz in server/mcp/. */
const nameless =
  "cursor q tz channel device new_returning country region label url description min max value name holder path before approval_id".split(
    " ",
  );

let t: TestApp;
let ours: Tenant;
let theirs: Tenant;
/** whose own requests change it */
let spare: Tenant;
/** everything that the other store shows of itself */
let before: Map<string, Body>;
let marks: string[];
beforeAll(async () => {
  t = await openTestApp();
  // the longer mark makes for other amounts of money
  spare = await settleTenant(t, "spare");
  [ours, theirs] = [await settleTenant(t, "own", 2), await settleTenant(t, "canary", 3)];
  before = await portrait(t, theirs);
  marks = marksOf(before, await portrait(t, ours));
}, 60_000);
afterAll(() => t.close());

/** What our store is answered when it puts these names into an operation. */
function ask(operation: Operation, names: Names, headers: Record<string, string> = {}): Promise<Answered> {
  const { query, body } = cases[operation.id] ?? {};
  const parameters = new URLSearchParams(query?.(names) ?? {}).toString();
  const url = `${pathOf(operation, names)}${parameters === "" ? "" : `?${parameters}`}`;
  return t.request(operation.method, url, { key: ours.store.key, body: body?.(names), headers });
}

/** The names that a request of the operation holds. */
function namesOf(operation: Operation): NameKind[] {
  const kinds = Object.keys(nameKinds) as NameKind[];
  const told = Object.fromEntries(kinds.map((kind) => [kind, `~${kind}~`])) as Names;
  const { query, body } = cases[operation.id] ?? {};
  const text = JSON.stringify([pathOf(operation, told), query?.(told), body?.(told)]);
  return kinds.filter((kind) => text.includes(`~${kind}~`));
}

/** Status and body, without what differs by nature: the request's id, and the names that were sent. */
function told({ status, text }: Answered, names: Names): [number, string] {
  let plain = text.replaceAll(/req_[0-9a-f]{32}/g, "<request>");
  for (const [kind, name] of Object.entries(names)) plain = plain.replaceAll(name, `<${kind}>`);
  return [status, plain];
}

function expectNothingOfTheirs(label: string, text: string): void {
  const found = marks.filter((mark) => text.includes(mark));
  expect([label, found]).toEqual([label, []]);
}

describe("the matrix", () => {
  it("has a case for every operation of the contract, and for every input that could name something [api.one-store]", () => {
    expect(Object.keys(cases).sort()).toEqual(operations.map(({ id }) => id).sort());
    for (const operation of operations) {
      const parameters = operation.path.match(/\{\w+\}/g) ?? [];
      expect([operation.id, namesOf(operation).length >= parameters.length]).toEqual([operation.id, true]);
    }
    const given = operations.flatMap((operation) => {
      const { query, body } = cases[operation.id] ?? {};
      const text = JSON.stringify([query?.(nobodys()) ?? {}, body?.(nobodys()) ?? {}]);
      const open = [...openInputs("query", operation.query), ...openInputs("body", operation.body)];
      const missing = open.filter(
        (input) => !nameless.includes(input.split(".").at(-1) ?? "") && !text.includes(`"${input.split(".").at(-1)}"`),
      );
      return missing.map((input) => `${operation.id} ${input}`);
    });
    expect(given).toEqual([]);
  });

  it("knows texts of every kind of the other store", () => {
    for (const kind of ["Quiz", "Version", "Shop", "Cream", "Jar", "Endpoint"])
      expect(marks).toContain(`${kind} of canary`);
    const {
      quiz,
      version,
      person,
      session,
      visitor,
      endpoint,
      delivery,
      event,
      export: file,
      page,
      option,
    } = theirs.names;
    for (const id of [quiz, version, person, session, endpoint, delivery, event, file, page, option])
      expect(marks).toContain(id);
    expect(
      before
        .get("listDeliveries")
        .data.map(({ payload }: Body) => JSON.stringify(payload))
        .join(),
    ).toContain(visitor);
    for (const text of [
      theirs.secret,
      "a note of canary",
      "other file of canary",
      "canary.1@example.com",
      "answer of canary",
    ])
      expect(marks).toContain(text);
    expect(marks.length).toBeGreaterThan(120);
  });
});

/** Inputs of a shape that take any text: neither numbers, flags, days nor one of a few words. */
function openInputs(path: string, shape: Body): string[] {
  if (!shape) return [];
  if (shape.type === "object" || shape.properties)
    return Object.entries(shape.properties ?? {}).flatMap(([name, inner]) => openInputs(`${path}.${name}`, inner));
  if (shape.type === "array") return openInputs(path, shape.items);
  const isText = [shape.type].flat().includes("string");
  return isText && !shape.enum && !shape.format ? [path] : [];
}

const named = (some: readonly Operation[]) => some.map((operation) => [operation.id, operation] as const);

describe("an operation", () => {
  it.each(named(operations.filter((operation) => namesOf(operation).length > 0)))(
    "%s takes another store's names, of any kind and in any place, for names of nobody [api.not-found, api.given-ids]",
    async (id, operation) => {
      const used = namesOf(operation);
      const nobody = nobodys();
      const places = used.map((kind) => [kind]).concat(used.length > 1 ? [used] : []);
      for (const place of places) {
        for (const kind of Object.keys(nameKinds) as NameKind[]) {
          const withNames = (from: Names): Names => ({
            ...ours.names,
            ...Object.fromEntries(place.map((each) => [each, place.length > 1 ? from[each] : from[kind]])),
          });
          const [foreign, unknown] = [withNames(theirs.names), withNames(nobody)];
          const answer = await ask(operation, foreign);
          const label = `${id} ${place.join("+")} = ${kind}`;
          expect([label, told(answer, foreign)]).toEqual([label, told(await ask(operation, unknown), unknown)]);
          const inPath = place.some((each) => operation.path.includes(`{`) && Object.values(pathKinds).includes(each));
          if (inPath || place.includes("quiz"))
            expect([label, [404, 422].includes(answer.status)]).toEqual([label, true]);
          const sent = Object.values(foreign).reduce((text, name) => text.replaceAll(name, ""), answer.text);
          expectNothingOfTheirs(label, sent);
        }
      }
    },
  );

  it.each(named(operations.filter(({ query }) => query?.properties["cursor"])))(
    "%s takes another store's cursor for one that was made up [api.cursors]",
    async (id, operation) => {
      // without filters, which the cursor is bound to as well
      const list = (tenant: Tenant, more: string) =>
        t.request(operation.method, `${pathOf(operation, tenant.names)}?limit=1${more}`, {
          key: tenant.store.key,
          body: operation.method === "POST" ? {} : undefined,
        });
      const cursor: unknown = (await list(theirs, "")).body.next_cursor;
      expect([id, cursor]).toEqual([id, expect.any(String)]);
      const madeUp = Buffer.alloc(40, 7).toString("base64url");
      const [foreign, unknown] = [await list(ours, `&cursor=${cursor}`), await list(ours, `&cursor=${madeUp}`)];
      expect(told(foreign, ours.names)).toEqual(told(unknown, ours.names));
      expect([foreign.status, foreign.body.errors[0].field]).toEqual([422, "query.cursor"]);
    },
  );

  it.each(named(operations.filter(({ cost }) => cost === "analytics")))(
    "%s knows no other store's entity tag, and serves no other's kept answer [api.one-store]",
    async (id, operation) => {
      const path = pathOf(operation, theirs.names);
      const parameters = new URLSearchParams(cases[id]?.query?.(theirs.names) ?? {}).toString();
      const kept = await t.request("GET", `${path}?${parameters}`, { key: theirs.store.key });
      expect([kept.status, kept.headers["etag"]]).toEqual([200, expect.any(String)]);
      const plain = await ask(operation, ours.names);
      const headers = { "if-none-match": String(kept.headers["etag"]) };
      const asked = await ask(operation, ours.names, headers);
      expect([asked.status, asked.body]).toEqual([200, plain.body]);
      expectNothingOfTheirs(id, asked.text);
      expect(asked.headers["etag"]).not.toBe(kept.headers["etag"]);
    },
  );

  it.each(named(operations.filter(({ method }) => method === "POST")))(
    "%s replays nothing to a store that repeats another's request under its Idempotency-Key [api.idempotency-kept]",
    async (id, operation) => {
      const headers = { "idempotency-key": `shared-${id}` };
      const path = pathOf(operation, spare.names);
      const body = cases[id]?.body?.(spare.names);
      const request = (key: string, more: object) => t.request("POST", path, { key, body, headers, ...more });
      const done = await request(spare.store.key, {});
      expect([id, done.status < 300 || done.status === 409]).toEqual([id, true]);
      const [repeated, plain] = [await request(ours.store.key, {}), await request(ours.store.key, { headers: {} })];
      expect(repeated.headers["idempotent-replayed"]).toBeUndefined();
      if (repeated.status >= 400) expect(told(repeated, spare.names)).toEqual(told(plain, spare.names));
      for (const text of [spare.mark, spare.secret, done.body.secret ?? spare.secret])
        expect(told(repeated, spare.names)[1]).not.toContain(text);
    },
  );
});

it("changed nothing of the other store, whatever was asked [api.one-store]", async () => {
  expect(Object.fromEntries(await portrait(t, theirs))).toEqual(Object.fromEntries(before));
});
