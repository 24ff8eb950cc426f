import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { operations } from "../contract/api.ts";
import { openApiDocument } from "../contract/openapi.ts";
import { fieldDeprecations } from "../contract/operation.ts";
import { brokenPromises } from "./growth.ts";

type Json = ReturnType<typeof JSON.parse>;
const present: Json = JSON.parse(JSON.stringify(openApiDocument(operations, { license: { name: "Any" } })));
const list = "/v1/quizzes";
const version = "/v1/quizzes/{quiz_id}/versions";
const bodyOf = (d: Json, path: string) => d.paths[path].post.requestBody.content["application/json"].schema;
const parameter = (d: Json, name: string) => d.paths[list].get.parameters.find((each: Json) => each.name === name);

/** What a careless change does to the document, and what has to be said about it. */
const breaks: [string, (d: Json) => void, RegExp][] = [
  ["an operation is removed", (d) => delete d.paths["/v1/store"].get, /^GET \/v1\/store: is gone$/],
  ["a path is renamed", (d) => renamePath(d, list, "/v1/quiz"), /^GET \/v1\/quizzes: is gone$/],
  ["an operation is renamed", (d) => (d.paths["/v1/store"].get.operationId = "readStore"), /operationId changed/],
  [
    "another scope is needed",
    (d) => (d.paths["/v1/store"].get.security = [{ apiKey: ["quizzes:read"] }]),
    /needs the scope quizzes:read/,
  ],
  ["a parameter is removed", (d) => removeParameter(d, "archived"), /query\.archived: is no longer taken/],
  [
    "a parameter becomes required",
    (d) => (parameter(d, "archived").required = true),
    /query\.archived: became required/,
  ],
  [
    "a required parameter is added",
    (d) => d.paths[list].get.parameters.push({ name: "x", in: "query", required: true, schema: {} }),
    /query\.x: became required/,
  ],
  [
    "a parameter is retyped",
    (d) => (parameter(d, "archived").schema = { type: "string" }),
    /query\.archived: was boolean, is string/,
  ],
  ["a bound is lowered", (d) => (parameter(d, "limit").schema.maximum = 50), /query\.limit: maximum was 100, is 50/],
  ["a default changes", (d) => (parameter(d, "limit").schema.default = 10), /query\.limit: its default changed/],
  [
    "a value is no longer taken",
    (d) => (parameter(d, "status").schema.enum = ["draft"]),
    /query\.status: no longer takes published/,
  ],
  ["a pattern appears", (d) => (parameter(d, "cursor").schema.pattern = "^a"), /query\.cursor: its pattern changed/],
  ["a body field is removed", (d) => delete bodyOf(d, version).properties.label, /body\.label: is gone/],
  ["a body field becomes required", (d) => (bodyOf(d, version).required = ["label"]), /body\.label: became required/],
  ["the body becomes required", (d) => (d.paths[version].post.requestBody.required = true), /body: became required/],
  ["the body is no longer taken", (d) => delete d.paths[version].post.requestBody, /body: is no longer taken/],
  [
    "an answer's field is removed",
    (d) => delete d.components.schemas.Store.properties.currency,
    /200\.currency: is gone/,
  ],
  [
    "an answer's field is retyped",
    (d) => (d.components.schemas.Store.properties.currency.type = "integer"),
    /200\.currency: was string, is integer/,
  ],
  [
    "an answer's field may be null",
    (d) => (d.components.schemas.Store.properties.currency.type = ["string", "null"]),
    /200\.currency: was string, is string or null/,
  ],
  [
    "an answer's field may be absent",
    (d) => (d.components.schemas.Store.required = []),
    /200\.currency: may now be absent/,
  ],
  [
    "an answer's format changes",
    (d) => delete d.components.schemas.QuizSummary.properties.created_at.format,
    /created_at: its format/,
  ],
  [
    "an inner field is removed",
    (d) => delete d.components.schemas.Store.properties.credits.properties.used,
    /200\.credits\.used: is gone/,
  ],
  ["a success becomes another status", (d) => renameStatus(d, version, "201", "200"), /201: is no longer answered/],
  [
    "a header is no longer sent",
    (d) => delete d.paths[version].post.responses["201"].headers.Location,
    /no longer has the header Location/,
  ],
];

function renamePath(d: Json, from: string, to: string): void {
  d.paths[to] = d.paths[from];
  delete d.paths[from];
}
function removeParameter(d: Json, name: string): void {
  const { get } = d.paths[list];
  get.parameters = get.parameters.filter((each: Json) => each.name !== name);
}
function renameStatus(d: Json, path: string, from: string, to: string): void {
  const { responses } = d.paths[path].post;
  responses[to] = responses[from];
  delete responses[from];
}

/** What may happen at any time. */
const grows: [string, (d: Json) => void][] = [
  ["an operation is added", (d) => (d.paths["/v1/new"] = { get: { operationId: "n", responses: {} } })],
  [
    "an optional parameter is added",
    (d) => d.paths[list].get.parameters.push({ name: "x", in: "query", required: false, schema: {} }),
  ],
  ["an answer's field is added", (d) => (d.components.schemas.Store.properties.extra = { type: "string" })],
  ["an optional body field is added", (d) => (bodyOf(d, version).properties.extra = { type: "string" })],
  ["a bound is raised", (d) => (parameter(d, "limit").schema.maximum = 200)],
  ["another value is taken", (d) => parameter(d, "status").schema.enum.push("deleted")],
  ["a body field may be longer", (d) => (bodyOf(d, version).properties.label.maxLength = 300)],
  ["a description changes", (d) => (d.components.schemas.Store.properties.currency.description = "other words")],
  ["an operation is deprecated", (d) => (d.paths["/v1/store"].get.deprecated = true)],
  ["another refusal is listed", (d) => (d.paths["/v1/store"].get.responses["409"] = { description: "x" })],
];

describe("the API only grows [api.growth]", () => {
  it.for(breaks)("tells when %s", ([, change, expected]) => {
    const changed = structuredClone(present);
    change(changed);
    const found = brokenPromises(present, changed);
    expect(found).not.toEqual([]);
    expect(
      found.some((sentence) => expected.test(sentence)),
      found.join("\n"),
    ).toBe(true);
  });

  it.for(grows)("lets pass when %s", ([, change]) => {
    const changed = structuredClone(present);
    change(changed);
    expect(brokenPromises(present, changed)).toEqual([]);
  });

  it("takes an enum without a type for one of its values' types", () => {
    const earlier = structuredClone(present);
    const { properties } = earlier.components.schemas.WebhookEndpoint;
    delete properties.disabled_reason.type;
    expect(properties.disabled_reason.enum).toContain(null);
    expect(brokenPromises(earlier, present)).toEqual([]);
    earlier.components.schemas.WebhookEndpoint.properties.disabled_reason.enum.pop();
    expect(brokenPromises(earlier, present)).not.toEqual([]);
  });

  it("lets an operation go whose deprecation window is over", () => {
    const changed = structuredClone(present);
    delete changed.paths["/v1/store"].get;
    expect(brokenPromises(present, changed, { retired: ["getStore"] })).toEqual([]);
  });

  it("finds nothing to tell between a document and itself", () => {
    expect(brokenPromises(present, present)).toEqual([]);
  });

  it("holds for v1 as it was last released", async () => {
    const baseline = JSON.parse(await readFile(join(import.meta.dirname, "../contract/v1.baseline.json"), "utf8"));
    expect(Object.keys(baseline.paths).length).toBeGreaterThan(0);
    expect(brokenPromises(baseline, present)).toEqual([]);
  });

  it("gives every deprecated operation at least 90 days before its sunset [api.deprecation]", () => {
    for (const operation of operations) {
      const { id, deprecated } = operation;
      for (const { since, sunset, link } of [...(deprecated ? [deprecated] : []), ...fieldDeprecations(operation)]) {
        expect([id, sunset - since >= 90 * 86_400]).toEqual([id, true]);
        expect(URL.canParse(link)).toBe(true);
      }
    }
  });
});
