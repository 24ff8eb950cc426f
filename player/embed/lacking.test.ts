import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../../testkit/browser.ts";
import { type EmbeddedPage, type EmbeddedShop, openEmbeddedShop } from "../../testkit/browser-quiz.ts";
import { content, page, quizDocument, text } from "../../testkit/document-parts.ts";
import { sessionRow } from "../../testkit/storefront.ts";

/** Browsers that the documentation promises, or that their owners have set up so, lack what this one has. */

const lack = {
  "Firefox 114": () => {
    Reflect.deleteProperty(String.prototype, "isWellFormed");
    Reflect.deleteProperty(String.prototype, "toWellFormed");
    Reflect.deleteProperty(Array.prototype, "toSorted");
    Reflect.deleteProperty(Array.prototype, "toSpliced");
    Reflect.deleteProperty(Map, "groupBy");
    Reflect.deleteProperty(Object, "groupBy");
    Reflect.deleteProperty(Promise, "withResolvers");
    Reflect.deleteProperty(Set.prototype, "union");
    Reflect.deleteProperty(URL, "canParse");
    Reflect.deleteProperty(AbortSignal, "any");
    Reflect.deleteProperty(globalThis, "Iterator");
    Reflect.deleteProperty(globalThis, "Sanitizer");
    Reflect.deleteProperty(globalThis, "navigation");
    Reflect.deleteProperty(globalThis, "CloseWatcher");
  },
  "a browser without beacons": () => Reflect.deleteProperty(Navigator.prototype, "sendBeacon"),
  "a browser that wrongly reports to be offline": () =>
    Object.defineProperty(Navigator.prototype, "onLine", { get: () => false }),
  "a browser without locks": () => Reflect.deleteProperty(Navigator.prototype, "locks"),
};

describe.skipIf((await openBrowser()) === null)("a browser that lacks something", () => {
  let shop: EmbeddedShop;
  beforeAll(async () => {
    shop = await openEmbeddedShop(
      quizDocument([
        page("first", [text("words", { required: true })], { title: "First" }),
        page("second", [text("more")], { title: "Second" }),
        page("end", [content("thanks", "<p>Thanks.</p>")], { title: "End", kind: "result" }),
      ]),
    );
  });
  afterAll(() => shop.close());

  const title = (on: Page) => on.locator(".quiz h2").first();
  const state = async (id: string | null) => (await sessionRow(shop.t, shop.store, id ?? ""))?.state;

  async function takes({ page: on, heard, faults }: EmbeddedPage): Promise<void> {
    const { session_id } = await heard("page");
    await on.getByLabel("words?").fill("Grüße 👋");
    await on.getByRole("button", { name: "Next" }).click();
    await expect.poll(() => title(on).textContent()).toBe("Second");
    await on.getByLabel("more?").fill("more");
    // removed by a framework, and put back
    await on.evaluate(async () => {
      const quiz = document.querySelector("quiz-store");
      quiz?.remove();
      await new Promise((resolve) => setTimeout(resolve, 50));
      if (quiz) document.body.append(quiz);
    });
    const again = await heard("page", 3);
    expect([again.session_id, again.page_key]).toEqual([session_id, "second"]);
    expect(await on.getByLabel("more?").inputValue()).toBe("more");
    await expect.poll(async () => (await state(session_id))?.last_page_key).toBe("second");
    await on.getByRole("button", { name: "Next" }).click();
    await heard("result");
    await on.goto("about:blank");
    await expect.poll(async () => (await state(session_id))?.last_page_key).toBe("end");
    expect(faults).toEqual([]);
  }

  it.each(Object.entries(lack))(
    "takes a quiz, also one removed and put back: %s [player.browsers, player.page]",
    async (_name, without) => {
      for (const consent of ["always", "manual"]) {
        const opened = await shop.open(shop.tag(`consent="${consent}"`), {
          prepare: (on) => on.addInitScript(without),
        });
        await takes(opened);
        await opened.close();
      }
    },
  );
});
