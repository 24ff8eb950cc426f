import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Type } from "typebox";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { operations } from "../contract/api.ts";
import { openApiDocument } from "../contract/openapi.ts";
import { deprecatedField, type Operation, operation } from "../contract/operation.ts";
import { readAbout } from "../server/main/about.ts";
import { readRoute } from "../server/platform/http/operations.ts";
import { newValidator } from "../server/platform/http/shapes.ts";
import { type Limiter, LimiterUnavailable } from "../server/platform/limiter/types.ts";
import { type Answered, openTestApp, type TestApp, type TestStore } from "../testkit/app.ts";
import { describedBy, expectDeclared } from "../testkit/declared-headers.ts";
import { testRoutes } from "../testkit/operations.ts";

const old = { since: 1_767_225_600, sunset: 1_775_001_600, link: "https://docs.example/label" };
const older = { since: 1_760_000_000, sunset: 1_780_000_000, link: "https://docs.example/size" };
const fieldsRetired = operation({
  ...{ id: "getWithOldFields", method: "GET", path: "/v1/old-fields", tag: "Store", summary: "Has old fields" },
  ...{ scope: null, cost: "read" },
  query: Type.Object({ size: Type.Optional(deprecatedField(Type.String(), older)) }, { additionalProperties: false }),
  answer: {
    status: 200,
    shape: Type.Object({ inner: Type.Array(Type.Object({ label: deprecatedField(Type.String(), old) })) }),
    example: { inner: [] },
  },
} as const);

const { routes: given } = testRoutes();
const extraRoutes = [...given, readRoute(fieldsRetired, async () => ({ inner: [{ label: "a" }] }))];
const everything: Operation[] = [...operations, ...extraRoutes.map((route) => route.operation)];
const document = describedBy(everything);

let t: TestApp;
let away: TestApp;
let store: TestStore;
let paused: TestStore;
let narrow: TestStore;
let reader: string;
let webhooks: string;
beforeAll(async () => {
  t = await openTestApp({ extraRoutes });
  const gone = () => Promise.reject(new LimiterUnavailable(new Error("gone")));
  const limiter: Limiter = { admit: gone, book: gone, chargeBucket: gone, close: async () => undefined };
  away = await openTestApp({ extraRoutes, limiter });
  store = await t.store();
  await t.update(store, { limits: { capacity: 1_000_000, leak_per_second: 1_000_000 } });
  reader = await t.key(store, ["quizzes:read"]);
  webhooks = await t.key(store, ["webhooks:manage"]);
  paused = await t.store({ plan: "other" });
  narrow = await t.store();
  await t.update(narrow, { limits: { capacity: 6, leak_per_second: 1 } });
  for (let asked = 0; asked < 6; asked += 1) await t.request("GET", "/v1/store", { key: narrow.key });
});
afterAll(async () => {
  await t.close();
  await away.close();
});

/** What each operation answers to whom, so that every refusal on the way is met. */
async function answersOf({ method, path, body, cost, scope }: Operation): Promise<Answered[]> {
  const url = path.replaceAll(/\{[a-z_]+\}/g, `quiz_${"0".repeat(32)}`);
  const send = (app: TestApp, key: string | null, query = "", headers: Record<string, string> = {}) =>
    app.request(method, url + query, {
      ...(key === null ? {} : { key }),
      headers,
      ...(body === undefined || query !== "" ? {} : { body: {} }),
    });
  const elsewhere = await away.store();
  return [
    await send(t, null),
    await send(t, paused.key),
    await send(t, scope === "webhooks:manage" ? reader : webhooks),
    await send(t, narrow.key),
    await send(t, store.key, "?odd=1"),
    await send(t, store.key),
    ...(cost === "analytics" ? [await send(t, store.key, "", { "if-none-match": "*" })] : []),
    // last: no bucket could be asked
    await send(away, elsewhere.key),
  ];
}

describe("headers in openapi.json [api.description]", () => {
  it.for(everything.map((one) => [one.id, one] as const))("are those that %s sends", async ([, one]) => {
    const answers = await answersOf(one);
    for (const [index, answer] of answers.entries()) {
      const sent = expectDeclared(document, one, answer);
      const asked = [404, 409, 422, 429].includes(answer.status) && index < answers.length - 1;
      if (asked) expect([answer.status, sent]).toEqual([answer.status, expect.arrayContaining(["ratelimit"])]);
    }
  });

  it("and bodies are required exactly where an empty one is refused", () => {
    for (const { id, path, method, body } of everything) {
      const { requestBody } = document.paths[path][method.toLowerCase()];
      const takesNothing = body === undefined || newValidator({ defaults: true }).compile(body)({});
      expect([id, requestBody?.required ?? false]).toEqual([id, !takesNothing]);
    }
  });

  it("tell of fields that are deprecated, as of whole operations [api.deprecation]", async () => {
    const described = document.paths["/v1/old-fields"].get;
    expect(described.deprecated).toBeUndefined();
    expect(described.parameters[0].schema).toMatchObject({ deprecated: true, "x-deprecation": older });
    const { schema } = described.responses["200"].content["application/json"];
    expect(schema.properties.inner.items.properties.label).toMatchObject({ deprecated: true, "x-deprecation": old });
    const answer = await t.request("GET", "/v1/old-fields", { key: store.key });
    expect([answer.status, answer.body]).toEqual([200, { inner: [{ label: "a" }] }]);
    expect(answer.headers["deprecation"]).toBe(`@${older.since}`);
    expect(answer.headers["sunset"]).toBe(new Date(old.sunset * 1000).toUTCString());
    expect(answer.headers["link"]).toBe(
      `<https://docs.example/label>; rel="deprecation", <https://docs.example/size>; rel="deprecation"`,
    );
  });
});

describe("who offers the API [api.description]", () => {
  it("is what package.json says: licence, address and contact", async () => {
    const folder = await mkdtemp(join(tmpdir(), "quizstore-about-"));
    const file = join(folder, "package.json");
    const contact = { name: "Quiz team", email: "api@example.com" };
    await writeFile(file, JSON.stringify({ license: "MIT", homepage: "https://example.com/terms", author: contact }));
    expect(openApiDocument([], readAbout(pathToFileURL(file)))).toMatchObject({
      info: { license: { name: "MIT", url: "https://example.com/terms" }, contact },
    });
    await rm(folder, { recursive: true });
    expect(document.info.license.name).not.toBe("");
    const tags = new Set(document.tags.map(({ name }: { name: string }) => name));
    expect(everything.every(({ tag }) => tags.has(tag))).toBe(true);
  });
});
