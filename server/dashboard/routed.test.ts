import { afterAll, beforeAll, expect, it } from "vitest";
import { storeOperations } from "../../contract/api.ts";
import { dashboardOperations } from "../../contract/dashboard/index.ts";
import { openTestApp, type TestApp } from "../../testkit/app.ts";

let t: TestApp;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());

it("the router takes what the contract has under /dashboard/api, and nothing else [dashboard-api.description]", () => {
  const routed = [...t.app.allowed]
    .filter(([path]) => path.startsWith("/dashboard/api/"))
    .flatMap(([path, allow]) => allow.split(", ").map((method) => `${method} ${path}`))
    .filter((route) => !route.startsWith("HEAD "));
  const declared = [
    ...storeOperations.map((each) => ({ ...each, path: `/dashboard/api${each.path}` })),
    ...dashboardOperations,
  ];
  const expected = declared.map(({ method, path }) => `${method} ${path.replaceAll(/\{([a-z_]+)\}/g, ":$1")}`);
  expect(routed.toSorted()).toEqual(expected.toSorted());
});
