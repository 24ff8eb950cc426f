import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contrastRatio } from "../../engine/contrast.ts";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { formula, number, page, quizDocument } from "../../testkit/document-parts.ts";
import { makeQuiz, type TestQuiz } from "../../testkit/quizzes.ts";
import { opened } from "../../testkit/session-scripts.ts";
import { finderDocument } from "../../testkit/small-quizzes.ts";
import { recently, send, sessionId } from "../../testkit/storefront.ts";
import { type Limiter, LimiterUnavailable } from "../platform/limiter/types.ts";

let t: TestApp;
let store: TestStore;
let quiz: TestQuiz;
beforeAll(async () => {
  t = await openTestApp();
  store = await t.store();
  quiz = await makeQuiz(t, store, { name: "Finder", document: finderDocument, publish: true });
});
afterAll(() => t.close());

const get = (quizId: string, key: string, headers = {}) =>
  t.request("GET", `/storefront/v1/quizzes/${quizId}?store=${key}`, { headers });

describe("the live version", () => {
  it("answers the published version, cacheable for a minute [storefront.live-version]", async () => {
    const answer = await get(quiz.id, store.publishableKey);
    expect(answer.status).toBe(200);
    expect(answer.headers["cache-control"]).toBe("public, max-age=60");
    expect(answer.headers["access-control-allow-origin"]).toBe("*");
    expect(answer.headers["access-control-allow-credentials"]).toBeUndefined();
    const fields = ["quiz_id", "name", "version_id", "version_number", "document", "store", "catalog"];
    expect(Object.keys(answer.body)).toEqual(fields);
    expect(answer.body).toMatchObject({
      quiz_id: quiz.id,
      name: "Finder",
      version_id: quiz.versionId,
      version_number: 1,
    });
    expect(answer.body.document.pages).toHaveLength(finderDocument.pages.length);
  });

  it("answers with what the player need not work out: colours that read, and formulas as trees [player.contrast, engine.formula-language]", async () => {
    const theme = { scheme: "auto", background: "#101418", text: "#101418" } as const;
    const first = page("first", [number("age"), formula("twice", "Twice", "2 * age")]);
    const document = quizDocument([first], { presentation: { theme } });
    const own = await makeQuiz(t, store, { document, publish: true });
    const { looks, formulas, needs } = (await get(own.id, `${store.publishableKey}&for=player`)).body.player;
    expect((await get(own.id, `${store.publishableKey}&for=somebody`)).status).toBe(422);
    expect(Object.keys(looks)).toEqual(["light", "dark"]);
    expect(looks.light["--background"]).toBe("#101418");
    expect(contrastRatio(looks.light["--text"], "#101418")).toBeGreaterThanOrEqual(4.5);
    expect(formulas).toEqual({ "2 * age": ["*", 2, "age"] });
    expect(needs).toEqual([]);
  });

  it("answers 304 to an ETag that still holds, and another ETag once another version is live [storefront.live-version]", async () => {
    const own = await makeQuiz(t, store, { document: finderDocument, publish: true });
    const { etag } = (await get(own.id, store.publishableKey)).headers;
    const same = await get(own.id, store.publishableKey, { "if-none-match": `"x", W/${etag}` });
    expect([same.status, same.text]).toEqual([304, ""]);
    expect(same.headers["access-control-allow-origin"]).toBe("*");
    await makeQuiz(t, store, { document: finderDocument, publish: true, quizId: own.id });
    expect((await get(own.id, store.publishableKey, { "if-none-match": String(etag) })).status).toBe(200);
  });

  it("answers 404 for drafts, deleted quizzes, other stores', unknown keys and stores without the plan [storefront.live-version, storefront.paused-plan]", async () => {
    const draft = await makeQuiz(t, store, { document: finderDocument });
    const deleted = await makeQuiz(t, store, { document: finderDocument, publish: true });
    expect((await t.request("DELETE", `/v1/quizzes/${deleted.id}`, { key: store.key })).status).toBe(200);
    const other = await t.store();
    const paused = await t.store({ plan: "other" });
    const theirs = await makeQuiz(t, paused, { document: finderDocument, publish: true });
    const cases: [string, string][] = [
      [draft.id, store.publishableKey],
      [deleted.id, store.publishableKey],
      [quiz.id, other.publishableKey],
      [quiz.id, `pub_${"0".repeat(32)}`],
      [quiz.id, "nobody"],
      [theirs.id, paused.publishableKey],
      ["quiz_1", store.publishableKey],
    ];
    for (const [id, key] of cases) {
      const answer = await get(id, key);
      expect([id, answer.status, answer.body.title]).toEqual([id, 404, "not_found"]);
      expect(answer.headers["access-control-allow-origin"]).toBe("*");
    }
    const taken = await send(t, store, deleted, recently(t, [opened({ min: 0 })]), { session: { id: sessionId(77) } });
    expect(taken.body.accepted).toBe(1);
  });

  it("lists the live quizzes of the store alone, newest first [storefront.live-list]", async () => {
    const shop = await t.store();
    await makeQuiz(t, shop, { document: finderDocument });
    const live = await makeQuiz(t, shop, { name: "Live", document: finderDocument, publish: true });
    const list = (key: string) => t.request("GET", `/storefront/v1/quizzes?store=${key}`);
    const answer = await list(shop.publishableKey);
    expect([answer.status, answer.body]).toEqual([200, { data: [{ quiz_id: live.id, name: "Live" }] }]);
    expect(answer.headers["etag"]).toMatch(/^"/);
    const paused = await t.store({ plan: "other" });
    for (const key of [paused.publishableKey, "nobody"]) expect((await list(key)).status).toBe(404);
  });

  it("takes no other parameter, and names what is wrong with its own [storefront.query]", async () => {
    const refused = async (query: string) => {
      const answer = await t.request("GET", `/storefront/v1/quizzes/${quiz.id}${query}`);
      return [answer.status, answer.body.errors?.map((error: { field: string }) => error.field)];
    };
    expect(await refused("")).toEqual([422, ["query.store"]]);
    expect(await refused("?store=")).toEqual([422, ["query.store"]]);
    expect(await refused(`?store=${store.publishableKey}&v=2`)).toEqual([422, ["query.v"]]);
  });
});

describe("other origins", () => {
  it("answers the browser's question beforehand for both routes [storefront.other-origins]", async () => {
    for (const [path, method] of [
      [`/storefront/v1/quizzes/${quiz.id}`, "GET"],
      ["/storefront/v1/events", "POST"],
    ] as const) {
      const answer = await t.request("OPTIONS", path, {
        headers: { origin: "https://shop.example.com", "access-control-request-method": method },
      });
      expect(answer.status).toBe(204);
      expect(answer.headers["access-control-allow-origin"]).toBe("*");
      expect(answer.headers["access-control-allow-methods"]).toContain(method);
      expect(String(answer.headers["access-control-allow-headers"]).toLowerCase()).toContain("content-type");
      expect(Number(answer.headers["access-control-max-age"])).toBeGreaterThan(0);
    }
  });

  it("answers 405 for other methods, and every refusal is readable from any origin [storefront.other-origins]", async () => {
    const answer = await t.request("DELETE", "/storefront/v1/events");
    expect([answer.status, answer.headers["allow"]]).toEqual([405, "OPTIONS, POST"]);
    expect(answer.headers["access-control-allow-origin"]).toBe("*");
    for (const path of ["/storefront/v1/none", "/storefront/%zz"]) {
      const unknown = await t.request("GET", path);
      expect([path, unknown.status, unknown.headers["access-control-allow-origin"]]).toEqual([path, 404, "*"]);
      expect(unknown.headers["access-control-expose-headers"]).toBe("ETag, Request-Id, Retry-After");
    }
    const refused = await t.request("POST", "/storefront/v1/events", { body: "{" });
    expect([refused.status, refused.headers["access-control-allow-origin"]]).toEqual([422, "*"]);
  });

  it("sends no such header under /v1 [storefront.other-origins, api.cross-origin]", async () => {
    const answer = await t.request("GET", "/v1/store", {
      key: store.key,
      headers: { origin: "https://shop.example.com" },
    });
    expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
    const unknown = await t.request("GET", "/v1/none");
    expect([unknown.status, unknown.headers["access-control-allow-origin"]]).toEqual([404, undefined]);
  });
});

describe("abuse", () => {
  it("admits shoppers while the limiter is out of reach, whose events must not be lost [storefront.limiter-away]", async () => {
    const away = () => {
      throw new LimiterUnavailable(new Error("gone"));
    };
    const limiter: Limiter = {
      admit: away,
      book: away,
      chargeBucket: () => Promise.reject(new LimiterUnavailable(null)),
      close: async () => undefined,
    };
    const limited = await openTestApp({ limiter });
    const shop = await limited.store();
    const own = await makeQuiz(limited, shop, { document: finderDocument, publish: true });
    expect((await send(limited, shop, own, recently(limited, [opened({ min: 0 })]))).status).toBe(202);
    await limited.close();
  });
});
