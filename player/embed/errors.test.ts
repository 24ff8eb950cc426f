import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../../testkit/browser.ts";
import { type EmbeddedShop, openEmbeddedShop } from "../../testkit/browser-quiz.ts";
import { page, quizDocument, text } from "../../testkit/document-parts.ts";
import { makeQuiz } from "../../testkit/quizzes.ts";
import { sampleQuiz } from "../../testkit/sample-quiz.ts";

describe.skipIf((await openBrowser()) === null)("what cannot be drawn", () => {
  let shop: EmbeddedShop;
  const quizzes = "**/storefront/v1/quizzes/**";
  beforeAll(async () => {
    shop = await openEmbeddedShop();
  });
  afterAll(() => shop.close());

  it("says that a quiz is not available where the quiz or the key is unknown [player.errors]", async () => {
    const unknown = `quiz_${"0".repeat(32)}`;
    const tags = [
      shop.tag("", unknown),
      shop.tag("", "nonsense"),
      `<quiz-store quiz="${shop.quiz.id}" store="pub_${"0".repeat(32)}"></quiz-store>`,
      `<quiz-store quiz="${shop.quiz.id}"></quiz-store>`,
    ];
    for (const tag of tags) {
      const { page, heard, close } = await shop.open(tag);
      expect((await heard("error")).kind).toBe("unknown");
      await page.getByText("This quiz is not available.").waitFor();
      await close();
    }
  });

  it("offers to try again where the server is away, in the language of the page [player.errors]", async () => {
    const { page, heard, close } = await shop.open(shop.tag('locale="de"'), {
      prepare: (page) => page.route(quizzes, (route) => route.abort()),
    });
    expect((await heard("error")).kind).toBe("away");
    await page.unroute(quizzes);
    await page.getByRole("button").click();
    await heard("page");
    await page.getByRole("heading", { name: "Your skin" }).waitFor();
    await close();
  });

  it("offers to try again where a part of the script is away, in the page and for a popup [player.errors]", async () => {
    for (const mode of ["inline", "popup"]) {
      const { page, heard, close } = await shop.open(shop.tag(`mode="${mode}" trigger="load"`), {
        prepare: (page) => page.route("**/player/*.js", (route) => route.abort()),
      });
      expect((await heard("error")).kind).toBe("away");
      await page.unroute("**/player/*.js");
      await page.getByRole("button", { name: "Try again" }).click();
      await heard("page");
      await close();
    }
  });

  it("offers to try again where the part is away that draws some of the quiz's questions [player.errors]", async () => {
    const typed = quizDocument([page("first", [text("name")]), page("last", [], { kind: "result" })]);
    const quiz = await makeQuiz(shop.t, shop.store, { publish: true, document: typed });
    const opened = await shop.open(shop.tag("", quiz.id), {
      prepare: (page) => page.route("**/player/typed-field*", (route) => route.abort()),
    });
    const again = opened.page.getByRole("button", { name: "Try again" });
    await again.waitFor();
    await opened.page.unroute("**/player/typed-field*");
    await again.click();
    await opened.page.locator(".quiz textarea").waitFor();
    await opened.close();
  });

  it("says that the page is to be loaded again where the document is newer than the player [player.too-new]", async () => {
    const { pages, ...more } = sampleQuiz();
    const [first, ...others] = pages;
    const component = { kind: "hologram", component_key: "h" };
    const newer = [
      { ...more, pages: [{ ...first, components: [component] }, ...others] },
      { ...more, pages: [{ ...first, is_new: true }, ...others] },
      { ...more, pages: [{ ...first, visible_when: { component_key: "feel", op: "resembles" } }, ...others] },
      { ...more, pages, chapters: [] },
    ];
    for (const document of newer) {
      const { page, heard, close } = await shop.open(shop.tag(), {
        prepare: (page) =>
          page.route(quizzes, async (route) => {
            const answer = await route.fetch();
            await route.fulfill({ response: answer, json: { ...(await answer.json()), document } });
          }),
      });
      expect((await heard("error")).kind).toBe("too_new");
      await page.getByText("This quiz has just been updated. Please reload the page.").waitFor();
      await close();
    }
  });
});
