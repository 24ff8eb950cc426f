import { expect } from "vitest";
import { allScopes } from "../contract/scopes.ts";
import { parseId } from "../server/platform/ids.ts";
import { createKey } from "../server/stores/admin.ts";
import type { TestApp, TestStore } from "./app.ts";
import { makeQuiz, type TestQuiz } from "./quizzes.ts";
import { recently, send } from "./storefront.ts";

export interface Twin extends TestStore {
  live: TestStore;
}

/** A store's test twin in the form of a store of its own, with a key to it. */
export async function twinOf(t: TestApp, live: TestStore): Promise<TestStore> {
  const given = { scopes: allScopes, test: true };
  const made = await t.database.transaction((tx) => createKey(tx, t.foundations, live.uuid, given));
  const twin = made.test_store;
  if (!twin) throw new Error("a test key brings its twin");
  const uuid = parseId("store", twin.store_id) ?? "";
  return { id: twin.store_id, uuid, publishableKey: twin.publishable_key, commerceSecret: "", key: made.key };
}

/** A store with a twin. */
export async function settleTwin(t: TestApp): Promise<Twin> {
  const live = await t.store({ plan: "enterprise", timezone: "Europe/Berlin", currency: "EUR" });
  await t.update(live, { limits: { capacity: 100_000 } });
  return { live, ...(await twinOf(t, live)) };
}

/** A visit that leaves a contact, in a store or in a twin, each of which has its own quiz. */
export async function leaveContact(t: TestApp, store: TestStore, mail: string): Promise<TestQuiz> {
  const quiz = await makeQuiz(t, store, { publish: true });
  const answered = { page_key: "you", component_key: "email", value: mail, consent: true } as const;
  const events = recently(t, [{ type: "quiz_opened" }, { type: "answer_saved", ...answered }], { minutesAgo: 1 });
  const mark = store.uuid.replaceAll("-", "");
  const answer = await send(t, store, quiz, events, { session: { id: `sess_${mark}`, visitor_id: `vis_${mark}` } });
  expect([answer.status, answer.body.rejected]).toEqual([202, []]);
  return quiz;
}
