import { Type } from "typebox";
import { afterAll, beforeAll, expect, it } from "vitest";
import { operation } from "../../../contract/operation.ts";
import { openTestApp, type TestApp } from "../../../testkit/app.ts";
import { readRoute } from "./operations.ts";

let t: TestApp;
const inner = Type.Object({ name: Type.String() });
const talkative = operation({
  ...{ id: "getTalkative", method: "GET", path: "/v1/talkative", scope: null, cost: "read" },
  ...{ tag: "Store", summary: "Only in tests" },
  answer: {
    status: 200,
    shape: Type.Object({ inner, list: Type.Array(inner) }),
    example: { inner: { name: "a" }, list: [] },
  },
});
const row = { name: "a", secret: "canary", store_id: "canary" };
beforeAll(async () => {
  const route = readRoute(talkative, async () => ({ inner: row, list: [row], hash: "canary" }));
  t = await openTestApp({ extraRoutes: [route], checkAnswers: false });
});
afterAll(() => t.close());

it("answers hold the fields that the contract names and no other, whatever a handler returns [api.answer-fields]", async () => {
  const store = await t.store();
  const answer = await t.request("GET", "/v1/talkative", { key: store.key });
  expect([answer.status, answer.body]).toEqual([200, { inner: { name: "a" }, list: [{ name: "a" }] }]);
});
