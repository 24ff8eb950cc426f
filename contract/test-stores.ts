import { type Static, Type } from "typebox";
import { count, dateTime, id, strict } from "./common.ts";
import { nothing, operation } from "./operation.ts";

/** A store's test twin: its clock, and how it is emptied; docs/rules/test-stores.md. */

/** How far a twin's clock can be moved at once, and in total, in seconds: a year and ten years. */
export const clockBounds = { atOnce: 366 * 86_400, inAll: 3_660 * 86_400 } as const;

const testClock = Type.Object(
  {
    now: dateTime("What the test twin's clock shows"),
    ahead_seconds: count("How far it was moved ahead of everybody's"),
    store_id: id("store"),
    publishable_key: id("pub", "Of the test twin: what a page with one of its quizzes names"),
    shop_domain: Type.String({ description: "By which the commerce platform's messages name the test twin" }),
  },
  { title: "TestClock" },
);
export type TestClock = Static<typeof testClock>;

const example: TestClock = {
  now: "2026-09-06T08:15:00.000Z",
  ahead_seconds: 432_000,
  store_id: "store_0198f2c4a0907c3e9d5f6a7b8c9d0e1f",
  publishable_key: "pub_5d1f0c2b3a49586776859403a2b1c0df",
  shop_domain: "test.lumen-fern.myshopify.com",
};

const shared = { tag: "Testing", scope: null, ofTestStores: true } as const;

export const getTestClock = operation({
  ...shared,
  id: "getTestClock",
  method: "GET",
  path: "/v1/test/clock",
  summary: "Read the test twin's clock",
  description: "With a key that begins with `svc_test_`.",
  cost: "read",
  answer: { status: 200, shape: testClock, example },
});

export const moveTestClock = operation({
  ...shared,
  id: "moveTestClock",
  method: "POST",
  path: "/v1/test/clock",
  summary: "Move the test twin's clock forward",
  description:
    "By so many seconds, or to a time that lies ahead. It never goes back. What falls due by it is done within seconds: idle visits end, webhooks are tried again, replaced secrets end, exports expire. Keys do not expire by it.",
  cost: "write",
  body: Type.Object(
    {
      advance_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: clockBounds.atOnce })),
      to: Type.Optional(dateTime("Instead of `advance_seconds`")),
    },
    strict,
  ),
  bodyExample: { advance_seconds: 432_000 },
  answer: { status: 200, shape: testClock, example },
});

export const emptyTestStore = operation({
  ...shared,
  id: "emptyTestStore",
  method: "DELETE",
  path: "/v1/test/data",
  summary: "Empty the test twin",
  description:
    "Quizzes, sessions, people, orders, webhooks and exports of it are gone at once, and its clock shows everybody's time again. Keys, publishable key and shop domain stay. Safe to repeat.",
  cost: "write",
  answer: { status: 204, shape: nothing, example: null },
});

export const testStoreOperations = [getTestClock, moveTestClock, emptyTestStore] as const;
