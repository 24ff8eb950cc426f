import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { content, page, quizDocument } from "../../testkit/document-parts.ts";
import { makeQuiz, pagesNamed } from "../../testkit/quizzes.ts";
import { sampleQuiz } from "../../testkit/sample-quiz.ts";
import { finderDocument } from "../../testkit/small-quizzes.ts";
import { countRows } from "../../testkit/storefront.ts";
import { putProducts } from "../orders/catalog.ts";
import { ownStore, sql } from "../platform/database/sql.ts";
import { parseId } from "../platform/ids.ts";
import { OperatorError } from "../platform/operator-error.ts";
import { openSecrets } from "../platform/secrets.ts";
import { type Preview, previewLink, readPreview, signPreview } from "../quizzes/public.ts";

let t: TestApp;
let store: TestStore;
beforeAll(async () => {
  t = await openTestApp();
  store = await t.store();
});
afterAll(() => t.close());

const hour = 3_600_000;
const link = async (quiz: string, { version, hours = 1 }: { version?: string; hours?: number } = {}) => {
  const { secrets, config } = t.foundations;
  const deps = { secrets, baseUrl: config.baseUrl, now: t.calendar.now() };
  return previewLink(t.database.reader(), deps, { quiz, version, hours });
};
const open = (url: string, method = "GET") =>
  t.request(method, `/storefront/v1/previews/${url.split("/preview/").at(-1)}`);

describe("preview links [storefront.previews]", () => {
  it("show the draft as it is when they are opened, as a live quiz is answered, and are kept nowhere", async () => {
    const quiz = await makeQuiz(t, store, { name: "Routine", document: finderDocument });
    const payload = { id: 1, title: "Cream", variants: [{ id: 11, price: "5", inventory_quantity: 2 }] };
    await t.database.transaction((tx) => putProducts(tx.forStore(store.uuid), [payload], t.calendar.now()));
    const made = await link(quiz.id);
    expect(made).toEqual({
      url: expect.stringMatching(/^http:\/\/api\.test\/preview\/[\w-]{115}$/),
      quiz_id: quiz.id,
      version_id: null,
      expires_at: new Date(t.calendar.now() + hour).toISOString(),
    });
    const answer = await open(made.url);
    expect([answer.status, answer.headers["cache-control"], answer.headers["etag"]]).toEqual([
      200,
      "no-store",
      undefined,
    ]);
    expect(answer.headers["access-control-allow-origin"]).toBe("*");
    expect(answer.body).toEqual({
      quiz_id: quiz.id,
      name: "Routine",
      version_id: null,
      version_number: null,
      document: finderDocument,
      store: { name: expect.stringMatching(/^Shop/), currency: "USD" },
      catalog: [expect.objectContaining({ product_id: "gid://shopify/Product/1", title: "Cream" })],
      preview: true,
    });
    await makeQuiz(t, store, { name: "Renamed", document: sampleQuiz(), quizId: quiz.id });
    expect((await open(made.url)).body).toMatchObject({ name: "Renamed", document: { pages: sampleQuiz().pages } });
    expect((await open(made.url, "HEAD")).status).toBe(200);
    expect((await open(made.url, "OPTIONS")).status).toBe(204);
    expect(await countRows(t, store, "sessions")).toBe(0);
  });

  it("show any version, whatever is live and whatever the draft is by now", async () => {
    const quiz = await makeQuiz(t, store, { document: finderDocument, publish: true });
    await makeQuiz(t, store, { document: pagesNamed("a"), quizId: quiz.id, publish: true });
    const { url } = await link(quiz.id, { version: quiz.versionId });
    expect((await open(url)).body).toMatchObject({
      version_id: quiz.versionId,
      version_number: 1,
      document: finderDocument,
      preview: true,
    });
  });

  it("name what keeps a draft from being shown, and hold once it is mended", async () => {
    const quiz = await makeQuiz(t, store, { document: { pages: [{ page_key: "a", kind: "content" }] } });
    const { url } = await link(quiz.id);
    const refused = await open(url);
    expect(refused.status).toBe(422);
    expect(refused.body.errors).toEqual([{ field: "draft.pages.0.title", message: "is missing" }]);
    await makeQuiz(t, store, { document: finderDocument, quizId: quiz.id });
    expect((await open(url)).status).toBe(200);
  });

  it("show no HTML from before there was a list of what it may hold, of a draft or a version [quiz-documents.html]", async () => {
    const quiz = await makeQuiz(t, store, { document: finderDocument });
    const draft = quizDocument([page("a", [content("c", "<p onclick=a()>x</p><script>a()</script>")])]);
    await t.database.transaction((tx) =>
      tx.forStore(store.uuid).all(sql`
        UPDATE quizzes SET draft = ${JSON.stringify(draft)} WHERE store_id = ${ownStore} AND id = ${quiz.uuid}`),
    );
    expect((await open((await link(quiz.id)).url)).body.document.pages[0].components[0].html_text).toBe("<p>x</p>");
    const saved = await makeQuiz(t, store, { document: finderDocument, publish: true });
    await t.database.transaction((tx) =>
      tx.forStore(store.uuid).all(sql`
        UPDATE quiz_versions SET document = ${JSON.stringify(draft)}
        WHERE store_id = ${ownStore} AND quiz_id = ${saved.uuid}`),
    );
    const preview = await open((await link(saved.id, { version: saved.versionId })).url);
    const live = await t.request("GET", `/storefront/v1/quizzes/${saved.id}?store=${store.publishableKey}`);
    for (const { body } of [preview, live]) expect(body.document.pages[0].components[0].html_text).toBe("<p>x</p>");
  });

  it("are over at their end, and with the quiz, its store and its plan", async () => {
    const quiz = await makeQuiz(t, store, { document: finderDocument });
    const { url } = await link(quiz.id, { hours: 2 });
    t.calendar.advance(2 * hour - 1);
    expect((await open(url)).status).toBe(200);
    t.calendar.advance(1);
    expect((await open(url)).body.title).toBe("not_found");
    const own = await t.store();
    const theirs = await makeQuiz(t, own, { document: finderDocument });
    const other = await link(theirs.id);
    await t.update(own, { plan: "other" });
    expect((await open(other.url)).status).toBe(404);
    await t.update(own, { plan: "plus" });
    expect((await open(other.url)).status).toBe(200);
    await t.request("DELETE", `/v1/quizzes/${theirs.id}`, { key: own.key });
    expect((await open(other.url)).status).toBe(404);
  });

  it("hold for nothing else: every altered byte, another spelling and another key are refused", async () => {
    const { secrets } = t.foundations;
    const now = t.calendar.now();
    const ids = { storeId: store.uuid, quizId: parseId("quiz", `quiz_${"1".repeat(32)}`) ?? "" };
    for (const versionId of [null, parseId("ver", `ver_${"2".repeat(32)}`)]) {
      const preview: Preview = { ...ids, versionId, expires: now + hour };
      const token = signPreview(secrets, preview);
      expect(readPreview(secrets, token, now)).toEqual(preview);
      expect(readPreview(secrets, token, now + hour)).toBeNull();
      const bytes = Buffer.from(token, "base64url");
      for (let index = 0; index < bytes.length; index += 1) {
        const altered = Buffer.from(bytes);
        altered[index] = (altered[index] ?? 0) ^ 1;
        expect(readPreview(secrets, altered.toString("base64url"), now)).toBeNull();
      }
      for (const odd of ["", "x", `${token}=`, `${token}A`, token.slice(1), `${token} `, token.replace(/.$/, "%")])
        expect(readPreview(secrets, odd, now)).toBeNull();
      expect(readPreview(openSecrets("another secret key, long enough", randomBytes), token, now)).toBeNull();
    }
    for (const odd of ["x", "%00", "a".repeat(115)]) expect((await open(odd)).status).toBe(404);
  });

  it("are made for quizzes and versions that are there", async () => {
    const quiz = await makeQuiz(t, store, { document: finderDocument, publish: true });
    const other = await makeQuiz(t, store, { document: finderDocument, publish: true });
    await expect(link(quiz.id, { version: other.versionId })).rejects.toThrow(OperatorError);
    await expect(link(quiz.id, { version: "ver_1" })).rejects.toThrow("has no version ver_1");
    await expect(link(`quiz_${"0".repeat(32)}`)).rejects.toThrow(OperatorError);
    await t.request("DELETE", `/v1/quizzes/${other.id}`, { key: store.key });
    await expect(link(other.id)).rejects.toThrow("is deleted");
  });
});
