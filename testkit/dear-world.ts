import type { TestApp, TestStore } from "./app.ts";
import { domainOf } from "./commerce.ts";
import {
  type DearRequest,
  type DearWorld,
  operationRequests,
  otherRequests,
  searchedDocument,
} from "./dear-requests.ts";
import { inStore, type TestPeople } from "./members.ts";
import { makeQuiz } from "./quizzes.ts";
import { type Turns, turnsOf } from "./turn-watch.ts";

/** Of the form of a session's id: who acts is looked up again when their change is committed. */
const noSession = "00000000-0000-7000-8000-000000000000";

/** The parts of a test's app that are needed. */
type Opened = Pick<TestApp, "app" | "database" | "foundations" | "passTime" | "request" | "store"> & {
  calendar: { now: () => number };
};

/** A store in which dear requests find what they name, and somebody who may send them all. */
export interface DearShop {
  requests: readonly DearRequest[];
  /** sends one, and watches the turns of the event loop meanwhile */
  send(request: DearRequest): Promise<Turns & { status: number }>;
}

export async function openDearShop(t: Opened, people: TestPeople): Promise<DearShop> {
  const store = await t.store({ plan: "enterprise" });
  const person = inStore(people.add("dear", { in: [[store, "owner"]], operator: true, sessionId: noSession }), store);
  const quiz = await makeQuiz(t, store, { publish: true });
  const edited = await makeQuiz(t, store);
  const spare = await makeQuiz(t, store);
  const searched = await makeQuiz(t, store, { document: searchedDocument, publish: true });
  const run = await t.request("POST", `/v1/quizzes/${edited.id}/draft/run`, { key: store.key, body: {} });
  const world: DearWorld = {
    ...{
      quizId: quiz.id,
      editedId: edited.id,
      spareId: spare.id,
      searchedId: searched.id,
      versionId: quiz.versionId,
      publishableKey: store.publishableKey,
    },
    ...{ runId: run.body.run_id, now: t.calendar.now() },
  };
  const shop = { secret: store.commerceSecret, domain: await domainOf(t, store) };
  // the commerce platform's messages first, because one of the operations changes the secret that signs them
  const requests = [...otherRequests(world, shop), ...operationRequests(world)];
  return { requests, send: (request) => send(t, store, person, request) };
}

async function send(t: Opened, store: TestStore, person: Record<string, string>, request: DearRequest) {
  t.passTime(600_000);
  const { method, path, body } = request;
  const ifMatch = /\/dashboard\/api\/quizzes\/[^/]+\/(draft|draft\/publish)$/.test(path)
    ? { "if-match": await revisionAt(t, path.replace("/publish", ""), person) }
    : {};
  const headers = {
    ...{ "content-type": "application/json", ...request.headers, ...ifMatch },
    ...(request.access === "key" ? { authorization: `Bearer ${store.key}` } : {}),
    ...(request.access === "person" ? person : {}),
  };
  let status = 0;
  const turns = await turnsOf(async () => {
    status = (await t.app.inject({ method: method as "POST", url: path, headers, payload: body })).statusCode;
  });
  return { ...turns, status };
}

async function revisionAt(t: Opened, url: string, headers: Record<string, string>): Promise<string> {
  return String((await t.app.inject({ method: "GET", url, headers })).headers["etag"]);
}
