import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, expect, it } from "vitest";
import { operations } from "../../contract/api.ts";
import { dashboardOperations } from "../../contract/dashboard/index.ts";
import { openTestApp, type TestApp } from "../../testkit/app.ts";
import { newValidator } from "../platform/http/shapes.ts";

let t: TestApp;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());

it("/dashboard/openapi.json is valid, and names each operation once [dashboard-api.description]", async () => {
  const { body, status } = await t.request("GET", "/dashboard/openapi.json");
  expect(status).toBe(200);
  const validator = new Validator();
  expect((await validator.validate(structuredClone(body))).errors ?? []).toEqual([]);
  const ids = [...operations, ...dashboardOperations].map(({ id }) => id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  for (const { method, path, access } of dashboardOperations) {
    const described = body.paths[path][method.toLowerCase()];
    expect([path, described["x-access"]]).toEqual([path, access]);
  }
});

it.for(dashboardOperations.map((operation) => [operation.id, operation] as const))(
  "shows for %s an example that its shape allows [dashboard-api.description]",
  ([, { answer, body, bodyExample }]) => {
    const ajv = newValidator();
    const validate = ajv.compile(answer.shape);
    expect([validate(answer.example), validate.errors]).toEqual([true, null]);
    if (bodyExample === undefined || !body) return;
    const validateBody = ajv.compile(body);
    expect([validateBody(bodyExample), validateBody.errors]).toEqual([true, null]);
  },
);
