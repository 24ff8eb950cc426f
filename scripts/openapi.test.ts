import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { operations } from "../contract/api.ts";
import { errorKinds, problem } from "../contract/errors.ts";
import { costs } from "../contract/limits.ts";
import { openApiDocument } from "../contract/openapi.ts";
import { readAbout } from "../server/main/about.ts";
import { newValidator } from "../server/platform/http/shapes.ts";
import { openTestApp, type TestApp } from "../testkit/app.ts";

let t: TestApp;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());

type Json = ReturnType<typeof JSON.parse>;
const document: Json = JSON.parse(JSON.stringify(openApiDocument(operations, readAbout())));

/** Every object in the document that could be a schema. */
function schemasIn(node: unknown): Json[] {
  if (node === null || typeof node !== "object") return [];
  const inner = Object.entries(node).flatMap(([name, value]) => (name === "example" ? [] : schemasIn(value)));
  return Array.isArray(node) ? inner : [node, ...inner];
}

describe("openapi.json [api.description]", () => {
  it("is valid OpenAPI 3.1", async () => {
    const validator = new Validator();
    const result = await validator.validate(structuredClone(document));
    expect(result.errors ?? []).toEqual([]);
    expect([result.valid, validator.version]).toEqual([true, "3.1"]);
  });

  it.each(["/openapi.json", "/dashboard/openapi.json"])(
    "gives redocly's recommended rules nothing to say: %s",
    async (path) => {
      const folder = await mkdtemp(join(tmpdir(), "quizstore-openapi-"));
      const file = join(folder, "openapi.json");
      await writeFile(file, (await t.request("GET", path)).text);
      const redocly = join(import.meta.dirname, "../node_modules/@redocly/cli/bin/cli.js");
      const env = { PATH: process.env["PATH"], REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
      const args = [redocly, "lint", "--extends", "recommended", "--format", "json", file];
      const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, env }).catch(
        (failed) => failed,
      );
      await rm(folder, { recursive: true });
      expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0, ignored: 0 }, problems: [] });
    },
    60_000,
  );

  it("is committed as the contract makes it (npm run openapi)", async () => {
    const committed = await readFile(join(import.meta.dirname, "../openapi.json"), "utf8");
    expect(JSON.parse(committed)).toEqual(document);
    expect((await t.request("GET", "/openapi.json")).body).toEqual(document);
  });

  it("lists what the router takes under /v1, and nothing else", () => {
    const routed = [...t.app.allowed]
      .filter(([path]) => path.startsWith("/v1"))
      .flatMap(([path, allow]) => allow.split(", ").map((method) => `${method} ${path}`))
      .filter((route) => !route.startsWith("HEAD "));
    const declared = operations.map(({ method, path }) => `${method} ${path.replaceAll(/\{([a-z_]+)\}/g, ":$1")}`);
    expect(routed.toSorted()).toEqual(declared.toSorted());
    expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length);
  });

  it.for(operations.map((operation) => [operation.id, operation] as const))(
    "shows for %s an example that its shape allows",
    ([, operation]) => {
      const ajv = newValidator();
      const validate = ajv.compile(operation.answer.shape);
      expect([validate(operation.answer.example), validate.errors]).toEqual([true, null]);
      if (operation.bodyExample !== undefined && operation.body) {
        const validateBody = ajv.compile(operation.body);
        expect([validateBody(operation.bodyExample), validateBody.errors]).toEqual([true, null]);
      }
    },
  );

  it("gives every enum the types of its values, null among them", async () => {
    // generators of clients read null from the types alone
    for (const described of [document, (await t.request("GET", "/dashboard/openapi.json")).body]) {
      const found = schemasIn(described).filter((schema) => schema.enum !== undefined);
      expect(found.length).toBeGreaterThan(20);
      for (const { type, enum: values } of found) {
        const types = new Set((values as unknown[]).map((value) => (value === null ? "null" : typeof value)));
        expect([values, [type].flat().toSorted()]).toEqual([values, [...types].toSorted()]);
      }
    }
  });

  it.for(operations.map((operation) => [operation.id, operation] as const))(
    "tells of %s its scope, its cost and its refusals",
    ([, operation]) => {
      const { method, path, cost, scope } = operation;
      const described = document.paths[path][method.toLowerCase()];
      expect(described["x-cost-class"]).toBe(cost);
      expect(described["x-cost-units"]).toBe(costs[cost]);
      expect(described.security).toEqual([{ apiKey: scope ? [scope] : [] }]);
      const statuses = Object.keys(described.responses);
      for (const status of ["401", "403", "422", "429", "500", "503", "504"]) expect(statuses).toContain(status);
      expect(statuses.includes("404")).toBe(path.includes("{"));
      for (const title of operation.problems ?? []) expect(statuses).toContain(String(errorKinds[title].status));
      const names = [...path.matchAll(/\{([a-z_]+)\}/g)].map(([, name]) => name);
      expect(Object.keys(operation.params?.properties ?? {}).toSorted()).toEqual(names.toSorted());
    },
  );

  it("describes refusals as they are sent [api.problems]", async () => {
    const validate = newValidator().compile(problem);
    for (const [method, path] of [
      ["GET", "/v1/store"],
      ["PUT", "/v1/store"],
      ["GET", "/v1/none"],
    ] as const) {
      const { body } = await t.request(method, path);
      expect([validate(body), validate.errors]).toEqual([true, null]);
    }
  });

  it("serves a page for every error, without a key [api.error-pages]", async () => {
    for (const title of Object.keys(errorKinds)) {
      const page = await t.request("GET", `/errors/${title}`);
      expect([page.status, page.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
      expect(page.text).toContain(title);
    }
  });
});
