import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { operations } from "../contract/api.ts";
import { openApiDocument } from "../contract/openapi.ts";
import { sampleIds } from "../contract/parameter-examples.ts";
import { readAbout } from "../server/main/about.ts";
import { newValidator } from "../server/platform/http/shapes.ts";
import { openTestApp, type TestApp } from "../testkit/app.ts";
import { pathKinds, settleTenant, type Tenant } from "../testkit/tenants.ts";

/** Tools such as Postman send every parameter that the description lists, with its example. */

type Json = ReturnType<typeof JSON.parse>;
const document: Json = JSON.parse(JSON.stringify(openApiDocument(operations, readAbout())));

interface Parameter {
  name: string;
  in: string;
  example?: unknown;
  schema: object;
}

const described = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
  Object.entries<Json>(methods).map(([method, { operationId, parameters, requestBody }]) => ({
    id: String(operationId),
    method: method.toUpperCase(),
    path,
    body: requestBody?.content["application/json"].example,
    parameters: (parameters as Parameter[]).filter((each) => each.in === "path" || each.in === "query"),
  })),
);

let t: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  t = await openTestApp();
  tenant = await settleTenant(t, "shown");
});
afterAll(() => t.close());

/** The store's own names in the place of those of the contract's examples. */
const named = (text: string): string =>
  Object.entries(sampleIds)
    .map(([name, id]) => [id, tenant.names[pathKinds[name] ?? "quiz"]] as const)
    .concat([["skin_type", tenant.names.choice]])
    .reduce((written, [sample, own]) => written.replaceAll(sample, own), text);

describe("examples of parameters [api.examples]", () => {
  it("are there for each in a path or query, and have its shape", () => {
    const all = described.flatMap(({ id, parameters }) => parameters.map((parameter) => ({ id, ...parameter })));
    expect(all.length).toBeGreaterThan(150);
    // a new one gets its example in contract/parameter-examples.ts
    expect(all.filter(({ example }) => example === undefined).map(({ id, name }) => `${id} ${name}`)).toEqual([]);
    const ajv = newValidator();
    const unfit = all.filter(({ schema, example }) => !ajv.compile(schema)(example));
    expect(unfit.map(({ id, name }) => `${id} ${name}`)).toEqual([]);
  });

  const asked = described.filter(({ parameters }) => parameters.some((parameter) => parameter.in === "query"));
  it.each(asked.map((each) => [each.id, each] as const))("%s takes all of them at once", async (_, operation) => {
    const { method, path, parameters } = operation;
    const query = new URLSearchParams(
      parameters
        .filter((parameter) => parameter.in === "query")
        .map(({ name, example }): [string, string] => [name, String(example)]),
    );
    const filled = parameters.reduce((text, { name, example }) => text.replace(`{${name}}`, String(example)), path);
    const url = named(`${filled}?${query}`);
    const body = method === "GET" ? {} : { body: {} };
    const answer = await t.request(method, url, { key: tenant.store.key, ...body });
    expect([url, answer.status, answer.body.errors]).toEqual([url, 200, undefined]);
  });
});

describe("the first page of a list [api.cursors]", () => {
  const lists = described.filter(
    ({ method, parameters }) => method === "GET" && parameters.some(({ name }) => name === "cursor"),
  );
  it.each(lists.map((each) => [each.id, each] as const))(
    "of %s is the one without a cursor",
    async (_, { path, parameters }) => {
      const place = named(
        parameters.reduce((text, { name, example }) => text.replace(`{${name}}`, String(example)), path),
      );
      const [first, without] = await Promise.all(
        [`${place}?cursor=first&limit=1`, `${place}?limit=1`].map((url) =>
          t.request("GET", url, { key: tenant.store.key }),
        ),
      );
      expect([first?.status, first?.body]).toEqual([200, without?.body]);
      const other = await t.request("GET", `${place}?cursor=First`, { key: tenant.store.key });
      expect([other.status, other.body.errors[0].field]).toEqual([422, "query.cursor"]);
    },
  );
});
