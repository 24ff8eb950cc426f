import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { signPreview } from "../../server/quizzes/public.ts";
import { openBrowser } from "../../testkit/browser.ts";
import { type EmbeddedShop, openEmbeddedShop } from "../../testkit/browser-quiz.ts";
import { makeQuiz, type TestQuiz } from "../../testkit/quizzes.ts";
import { sampleQuiz } from "../../testkit/sample-quiz.ts";

describe.skipIf((await openBrowser()) === null)("an element with a preview link's token", () => {
  let shop: EmbeddedShop;
  beforeAll(async () => {
    shop = await openEmbeddedShop();
  });
  afterAll(() => shop.close());

  const tokenOf = (quiz: TestQuiz, hours = 1): string =>
    signPreview(shop.t.foundations.secrets, {
      storeId: shop.store.uuid,
      quizId: quiz.uuid,
      versionId: null,
      expires: shop.t.foundations.calendar.now() + hours * 3_600_000,
    });
  const tag = (token: string): string => `<quiz-store preview="${token}"></quiz-store>`;

  it("shows the draft, and nothing of it is kept or sent [player.preview-element]", async () => {
    const draft = await makeQuiz(shop.t, shop.store, { name: "Next spring", document: sampleQuiz() });
    const sent: string[] = [];
    const { page, faults, heard, told, close } = await shop.open(tag(tokenOf(draft)), {
      prepare: async (page) => page.on("request", (request) => sent.push(request.url())),
    });
    expect(await heard("ready")).toMatchObject({ quiz_id: draft.id, session_id: null, name: "Next spring" });
    await page.getByLabel("Oily").click();
    const next = page.getByRole("button", { name: "Next" });
    if (await next.isVisible()) await next.click();
    await page.getByRole("heading", { name: "About oil" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Your skin" }).waitFor();
    expect((await told()).map(({ detail }) => detail.session_id)).toEqual(
      expect.not.arrayContaining([expect.any(String)]),
    );
    expect(sent.filter((url) => url.includes("/events"))).toEqual([]);
    expect(await page.evaluate(() => Object.keys(localStorage).length)).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });

  it("says what keeps a draft from being shown, and that a link is over [player.preview-element, player.errors]", async () => {
    const unfinished = await makeQuiz(shop.t, shop.store, {
      document: { pages: [{ page_key: "a", kind: "content" }] },
    });
    for (const [token, sentence] of [
      [tokenOf(unfinished), "draft.pages.0.title is missing"],
      [tokenOf(unfinished, -1), "This quiz is not available."],
    ] as const) {
      const { page, heard, close } = await shop.open(tag(token));
      expect(await heard("error")).toMatchObject({ kind: "unknown", session_id: null });
      await page.getByText(sentence).waitFor();
      await close();
    }
  });
});
