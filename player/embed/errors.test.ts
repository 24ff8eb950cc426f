import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../../testkit/browser.ts";
import { type EmbeddedShop, openEmbeddedShop } from "../../testkit/browser-quiz.ts";

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

  it("offers to try again where no words can be fetched [player.errors]", async () => {
    const { page, heard, close } = await shop.open(shop.tag('locale="de"'), {
      prepare: (page) => page.route(/\/player\/(de|en)-/, (route) => route.abort()),
    });
    expect((await heard("error")).kind).toBe("away");
    await page.unroute(/\/player\/(de|en)-/);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "Your skin" }).waitFor();
    await close();
  });

  it("says that the page is to be loaded again where the document is newer than the player [player.too-new]", async () => {
    for (const needs of [["holograms"], ["outcomes", "chapters"]]) {
      const changed = { player: { looks: {}, formulas: {}, needs } };
      const { page, heard, close } = await shop.open(shop.tag(), {
        prepare: (page) =>
          page.route(quizzes, async (route) => {
            const answer = await route.fetch();
            await route.fulfill({ response: answer, json: { ...(await answer.json()), ...changed } });
          }),
      });
      expect((await heard("error")).kind).toBe("too_new");
      await page.getByText("This quiz has just been updated. Please reload the page.").waitFor();
      await close();
    }
  });
});
