import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { operations, storeOperations } from "../contract/api.ts";
import { type ErrorTitle, errorKinds } from "../contract/errors.ts";
import { type Operation, takesIdempotencyKey } from "../contract/operation.ts";
import { aiRunStart } from "../server/quizzes/ai-lease.ts";
import { type Answered, openTestApp, requester, type TestApp, type TestStore } from "../testkit/app.ts";
import { TestCopies } from "../testkit/copies.ts";
import { describedBy, expectDeclared } from "../testkit/declared-headers.ts";
import { createEndpoint, newUrl, putDelivery } from "../testkit/endpoints.ts";
import { openProxiedDatabase, type ProxiedDatabase } from "../testkit/proxied-database.ts";
import { makeQuiz, pagesNamed } from "../testkit/quizzes.ts";

/** Headers of refusals that need more than an odd request: a conflict with what is there, a database that is away. */

const document = describedBy(operations);
const ample = { capacity: 1_000_000, leak_per_second: 1_000_000 };

let t: TestApp;
let store: TestStore;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());
beforeEach(async () => {
  store = await t.store({ plan: "enterprise" });
  await t.update(store, { limits: ample });
});

interface Asked {
  path: string;
  body?: unknown;
}

const ofNobodysRun = { run_id: `run_${"0".repeat(32)}`, changes: [] };

/** The request that makes each operation refuse with each of its conflicts, once what stands in the way is there. */
const conflicts: Partial<Record<ErrorTitle, Record<string, () => Promise<Asked>>>> = {
  ai_run_in_progress: {
    archiveQuiz: () => quizInRun((id) => `${id}/archive`),
    unarchiveQuiz: () => quizInRun((id) => `${id}/unarchive`),
    saveVersion: () => quizInRun((id) => `${id}/versions`),
    publishVersion: () => quizInRun((id, versionId) => `${id}/versions/${versionId}/publish`),
    requestApproval: () => quizInRun((id, versionId) => `${id}/versions/${versionId}/approvals`),
    beginDraftRun: () => quizInRun((id) => `${id}/draft/run`),
    changeQuizDraft: async () => ({ ...(await quizInRun((id) => `${id}/draft`)), body: ofNobodysRun }),
  },
  conflict: {
    changeQuizDraft: async () => {
      const { id } = await makeQuiz(t, store);
      return { path: `/v1/quizzes/${id}/draft`, body: ofNobodysRun };
    },
    publishVersion: async () => {
      const { id } = await makeQuiz(t, store, { document: pagesNamed() });
      const { body } = await t.request("POST", `/v1/quizzes/${id}/versions`, { key: store.key });
      return { path: `/v1/quizzes/${id}/versions/${body.id}/publish` };
    },
    requestApproval: async () => {
      const { id, versionId } = await makeQuiz(t, store, { publish: true });
      return { path: `/v1/quizzes/${id}/versions/${versionId}/approvals` };
    },
    createExport: async () => {
      const asked = { path: "/v1/exports", body: { dataset: "profiles" } };
      await t.request("POST", asked.path, { key: store.key, body: asked.body });
      return asked;
    },
  },
  endpoint_limit: {
    createWebhook: async () => {
      await t.update(store, { limits: { webhook_endpoints: 1 } });
      await createEndpoint(t, store);
      return { path: "/v1/webhooks", body: { url: newUrl(), topics: ["quiz.published"] } };
    },
  },
  webhook_conflict: {
    createWebhook: async () => {
      const { url } = await createEndpoint(t, store);
      return { path: "/v1/webhooks", body: { url, topics: ["quiz.finished"] } };
    },
    updateWebhook: async () => {
      const [{ url }, { id }] = [await createEndpoint(t, store), await createEndpoint(t, store)];
      return { path: `/v1/webhooks/${id}`, body: { url } };
    },
    redeliver: async () => {
      const id = await disabledEndpoint();
      const deliveryId = await putDelivery(t, store, id, { status: "dead" });
      return { path: `/v1/webhooks/${id}/deliveries/${deliveryId}/redeliver` };
    },
    redeliverFailed: async () => ({
      path: `/v1/webhooks/${await disabledEndpoint()}/redeliver-failed`,
      body: { since: "2026-01-01T00:00:00Z" },
    }),
    pingWebhook: async () => ({ path: `/v1/webhooks/${await disabledEndpoint()}/ping` }),
  },
};

async function quizInRun(path: (id: string, versionId: string) => string): Promise<Asked> {
  const { id, versionId } = await makeQuiz(t, store, { publish: true });
  await t.database.transaction((tx) => aiRunStart(tx, t.foundations, id));
  return { path: `/v1/quizzes/${path(id, versionId)}` };
}

async function disabledEndpoint(): Promise<string> {
  const { id } = await createEndpoint(t, store);
  await t.request("PATCH", `/v1/webhooks/${id}`, { key: store.key, body: { status: "disabled" } });
  return id;
}

const declaredConflicts = operations.flatMap((one: Operation) =>
  (one.problems ?? [])
    .filter((title) => errorKinds[title].status === 409)
    .map((title): [string, ErrorTitle, Operation] => [one.id, title, one]),
);

describe("headers of refusals in openapi.json [api.description]", () => {
  it.for(declaredConflicts)("are those that %s sends with %s", async ([id, title, one]) => {
    const prepare = conflicts[title]?.[id];
    if (!prepare) throw new Error(`no case makes ${id} answer ${title}`);
    const { path, body } = await prepare();
    const headers = { "idempotency-key": "again" };
    for (const more of [{}, { headers }, { headers }]) {
      const answer = await t.request(one.method, path, { key: store.key, body, ...more });
      expect([answer.status, answer.body.title]).toEqual([409, title]);
      const sent = expectDeclared(document, one, answer);
      // charged, and no repeat of an answer: a failure is not kept
      expect(sent).toEqual(["request-id", "ratelimit", "ratelimit-policy"]);
    }
  });

  it("are those of an Idempotency-Key that was another request's [api.idempotency]", async () => {
    const headers = { "idempotency-key": "taken" };
    const first = { key: store.key, headers, body: { url: newUrl(), topics: ["quiz.published"] } };
    expect((await t.request("POST", "/v1/webhooks", first)).status).toBe(201);
    const keyed = storeOperations.filter(takesIdempotencyKey);
    expect(keyed.length).toBeGreaterThan(8);
    for (const one of keyed) {
      const answer = await t.request(one.method, unknownOf(one), { key: store.key, headers, body: one.bodyExample });
      expect([one.id, answer.status, answer.body.errors?.[0].field]).toEqual([one.id, 422, "header.Idempotency-Key"]);
      expect(expectDeclared(document, one, answer)).toEqual(["request-id", "ratelimit", "ratelimit-policy"]);
    }
  });
});

/** Its path, with ids that nothing has. */
const unknownOf = ({ path }: Operation): string => path.replaceAll(/\{([a-z]+)_id\}/g, (_, kind) => idOf(kind));
const prefixes: Record<string, string> = {
  ...{ quiz: "quiz", version: "ver", endpoint: "whe", delivery: "whd", event: "evt", export: "exp", profile: "prof" },
};
const idOf = (kind: string): string => `${prefixes[kind]}_${"0".repeat(32)}`;

describe("headers of refusals in openapi.json, while the database is away [api.description, api.dependencies]", () => {
  let proxied: ProxiedDatabase;
  let facts: TestCopies;
  let ask: (one: Operation, key: string) => Promise<Answered>;
  let known: string;
  let unknown: string;

  beforeAll(async () => {
    const { log, calendar } = t.foundations;
    proxied = await openProxiedDatabase(t.connection);
    const { database } = proxied;
    facts = new TestCopies({ database, calendar, elapsed: () => performance.now(), random: randomBytes, log });
    const request = requester(t.compose({ database, intakeDatabase: database, facts }));
    const shop = await t.store({ plan: "enterprise" });
    await t.update(shop, { limits: ample });
    [known, unknown] = [shop.key, await t.key(shop, ["quizzes:read"])];
    // a key that was just looked up is not looked up again
    expect((await request("GET", "/v1/store", { key: known })).status).toBe(200);
    ask = (one, key) => {
      const [query, body] = [one.path.endsWith("/breakdown") ? "?by=device" : "", one.bodyExample];
      return request(one.method, unknownOf(one) + query, { key, body });
    };
    await proxied.proxy.cut();
  });
  afterAll(async () => {
    await facts.close();
    await proxied.close();
  });

  it.for(storeOperations.map((one: Operation) => [one.id, one] as const))(
    "are those that %s sends",
    async ([id, one]) => {
      const before = await ask(one, unknown);
      expect([id, before.status, before.body.title]).toEqual([id, 503, "dependency_unavailable"]);
      expect(expectDeclared(document, one, before)).toEqual(["request-id", "retry-after"]);
      const charged = await ask(one, known);
      expect([id, charged.status, charged.body.title]).toEqual([id, 503, "dependency_unavailable"]);
      expect(expectDeclared(document, one, charged)).toEqual([
        ...["request-id", "ratelimit", "ratelimit-policy", "retry-after"],
      ]);
      expect(charged.headers["retry-after"]).toBe(String(charged.body.retry_after));
    },
  );
});
