import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../../testkit/browser.ts";
import { type EmbeddedPage, type EmbeddedShop, openEmbeddedShop } from "../../testkit/browser-quiz.ts";
import { countRows, sessionRow } from "../../testkit/storefront.ts";

describe.skipIf((await openBrowser()) === null)("a visit to a shop of several pages", () => {
  let shop: EmbeddedShop;
  let on: EmbeddedPage;
  beforeAll(async () => {
    shop = await openEmbeddedShop();
  });
  afterAll(() => shop.close());
  afterEach(() => on.close());

  const pageOf = (body: string) =>
    `<!doctype html><html lang="en"><head><title>Shop</title>${shop.script}</head><body>${body}</body></html>`;
  /** a first page with a popup that waits to be opened, or with the quiz in it, and a page with the quiz */
  const open = async (attributes: string, first = 'mode="popup"') => {
    const [start, quiz] = [`<a href="/quiz">The quiz</a>${shop.tag(`${first} ${attributes}`)}`, shop.tag(attributes)];
    on = await shop.open("", { pages: { "/start": pageOf(start), "/quiz": pageOf(quiz) } });
  };
  const source = async (times = 1) => {
    const { session_id } = await on.heard("page", times);
    await expect.poll(() => sessionRow(shop.t, shop.store, session_id ?? "")).toBeDefined();
    const row = await sessionRow(shop.t, shop.store, session_id ?? "");
    return [row?.referrer_host, row?.utm_source, row?.utm_campaign];
  };
  const arrive = (search: string, referer?: string) =>
    on.page.goto(`${on.site.origin}/start${search}`, referer === undefined ? {} : { referer });
  const follow = async () => {
    await on.page.getByRole("link", { name: "The quiz" }).click();
    await on.page.waitForURL("**/quiz");
  };

  /** What the tab keeps of the visit. */
  const kept = () =>
    on.page.evaluate(() =>
      Object.keys(sessionStorage)
        .filter((key) => key.endsWith(":visit"))
        .map((key) => sessionStorage.getItem(key)),
    );

  it("comes from the page before the shop, with the campaign that led there [player.visit-source]", async () => {
    await open("");
    await arrive("?utm_source=mail&utm_campaign=Spring+2&email=ann@example.com", "https://search.example/");
    await expect.poll(kept).toEqual(["https://search.example/\nutm_source=mail\nutm_campaign=Spring+2"]);
    await follow();
    expect(await source()).toEqual(["search.example", "mail", "Spring 2"]);
  });

  it("is the shop's own host where nothing else is known [player.visit-source]", async () => {
    await open("");
    await arrive("");
    await follow();
    expect(await source()).toEqual([new URL(on.site.origin).hostname, null, null]);
  });

  it("is not kept without consent, and goes when it is refused [player.visit-source]", async () => {
    await open('consent="manual"', "");
    await arrive("?utm_source=mail", "https://search.example/");
    await on.heard("page");
    expect(await kept()).toEqual([]);
    const consent = (granted: boolean) =>
      on.page.evaluate((value) => window.quizstore?.push(["consent", value]), granted);
    await consent(true);
    await expect.poll(kept).toEqual(["https://search.example/\nutm_source=mail"]);
    await consent(false);
    await expect.poll(kept).toEqual([]);
  });

  it("has the present page and campaign after a change of route without a reload [player.session-facts]", async () => {
    await open("");
    await arrive("?utm_source=mail&utm_campaign=one", "https://search.example/");
    await on.page.evaluate((tag) => {
      history.pushState(null, "", "/quiz?utm_source=app&utm_campaign=two");
      document.body.innerHTML = tag;
    }, shop.tag());
    const { session_id } = await on.heard("page");
    expect(await source()).toEqual(["search.example", "app", "two"]);
    expect(await sessionRow(shop.t, shop.store, session_id ?? "")).toMatchObject({
      page_url: `${on.site.origin}/quiz`,
    });
    // the next session of the same element begins elsewhere
    await on.page.evaluate(() => history.pushState(null, "", "/other"));
    await on.page.evaluate(() => window.quizstore?.push(["restart"]));
    await on.heard("page", 2);
    expect(await source(2)).toEqual(["search.example", "mail", "one"]);
  });

  it("begins when a page that was made ahead is opened, and not before [player.prerendered]", async () => {
    on = await shop.open("", {
      pages: { "/quiz": pageOf(`${shop.tag()}${shop.tag('mode="popup" trigger="load"')}`) },
      prepare: (page) =>
        page.addInitScript(() => {
          Reflect.set(window, "isAhead", true);
          Object.defineProperty(document, "prerendering", { get: () => Reflect.get(window, "isAhead") });
        }),
    });
    const sessions = () => countRows(shop.t, shop.store, "sessions");
    const before = await sessions();
    await on.page.goto(`${on.site.origin}/quiz`);
    await on.page.waitForFunction(() => "open" in (window.quizstore ?? {}));
    await on.page.evaluate(() => window.quizstore?.push(["open"]));
    await on.page.waitForTimeout(800);
    expect(await on.told()).toEqual([]);
    expect(
      await on.page.evaluate(() =>
        [localStorage, sessionStorage].flatMap((kept) =>
          Object.keys(kept).filter((key) => key.startsWith("quizstore")),
        ),
      ),
    ).toEqual([]);
    expect(await sessions()).toBe(before);
    await on.page.evaluate(() => {
      Reflect.set(window, "isAhead", false);
      document.dispatchEvent(new Event("prerenderingchange"));
    });
    await on.heard("opened");
    await expect.poll(sessions).toBeGreaterThan(before);
  });
});
