import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../../testkit/browser.ts";
import { type EmbeddedPage, type EmbeddedShop, openEmbeddedShop } from "../../testkit/browser-quiz.ts";
import type { Answer } from "../../testkit/browser-shop.ts";
import { page, quizDocument, text } from "../../testkit/document-parts.ts";

/**
 * Pages of Shopify's themes: `Shopify` is there from the start, a deferred script adds `loadFeatures`, and that loads the
 * Customer Privacy API (shopify.dev, "Customer Privacy API", as of 2026-10).
 */
interface Privacy {
  /** ms after which the API is there; null: a blocker keeps it away */
  after: number | null;
  allowed: boolean;
  decided: "yes" | "no" | "";
}

const features = ({ after, allowed, decided }: Privacy): string => `
  Shopify.loadFeatures = (features, done) => {
    if (features[0].name !== "consent-tracking-api" || features[0].version !== "0.1") return done(new Error("unknown"));
    ${
      after === null
        ? ""
        : `setTimeout(() => {
      Shopify.customerPrivacy.analyticsProcessingAllowed = () => ${allowed};
      Shopify.customerPrivacy.currentVisitorConsent = () => ({ analytics: "${decided}", marketing: "", preferences: "" });
      done();
    }, ${after});`
    }
    ${after === null ? `setTimeout(done, 50, new Error("blocked"));` : ""}
  };`;

const head = `<script>window.Shopify = { customerPrivacy: {} }</script>`;

describe.skipIf((await openBrowser()) === null)("consent that is not known yet", () => {
  let shop: EmbeddedShop;
  let on: EmbeddedPage;
  beforeAll(async () => {
    shop = await openEmbeddedShop(
      quizDocument([page("first", [text("words")]), page("second", [text("more")])], {
        presentation: { advance: "button" },
      }),
    );
  });
  afterAll(() => shop.close());
  afterEach(() => on.close());

  const kept = () =>
    on.page.evaluate(() =>
      [localStorage, sessionStorage].flatMap((storage) => Object.keys(storage).filter((key) => /^quizstore/.test(key))),
    );
  const sessions = async () => [...new Set((await kept()).filter((key) => key.includes(":sess_")))];

  /** An earlier visit with consent, which ended on the second page; then the same page with this API. */
  async function returns(consent: string, privacy?: Privacy): Promise<void> {
    const script: Answer = async (_request, response) => {
      // later than the quiz's own script
      await new Promise((resolve) => setTimeout(resolve, 300));
      response.writeHead(200, { "content-type": "text/javascript" }).end(privacy ? features(privacy) : "");
    };
    on = await shop.open(shop.tag(), { pages: { "/features.js": script } });
    await on.heard("page");
    await on.page.getByLabel("words?").fill("Earlier");
    await on.page.getByRole("button", { name: "Next" }).click();
    await on.heard("page", 2);
    const before = await kept();
    expect((await sessions()).length).toBe(1);
    const body = `${shop.tag(`consent="${consent}"`)}<script defer src="/features.js"></script>`;
    const html = `<!doctype html><html lang="en"><head><title>Shop</title>${head}${shop.script}</head><body>${body}</body></html>`;
    on.site.pages.set("/later", html);
    await on.page.goto(`${on.site.origin}/later`);
    await on.heard("opened");
    if (privacy?.decided !== "no") expect(await kept()).toEqual(expect.arrayContaining(before.filter(isLocal)));
  }
  const isLocal = (key: string) => /:(visitor|sess_)/.test(key);
  const offer = () => on.page.getByRole("button", { name: "Continue" });
  const starts = async () => {
    await on.page.getByLabel("words?").fill("Now");
    await on.page.getByRole("button", { name: "Next" }).click();
    await on.heard("page", 2);
  };

  it("leaves what was stored, and offers it once Shopify's API has loaded [player.consent-unknown]", async () => {
    await returns("shopify", { after: 300, allowed: true, decided: "yes" });
    await offer().click();
    expect(await on.page.getByLabel("more?").isVisible()).toBe(true);
    expect((await sessions()).length).toBe(1);
  });

  it("stores nothing, and removes nothing, where a blocker keeps the API away [player.consent-unknown]", async () => {
    await returns("shopify", { after: null, allowed: true, decided: "yes" });
    expect(await offer().count()).toBe(0);
    const before = await kept();
    await starts();
    expect(await kept()).toEqual(before);
  });

  it("stores nothing, and removes nothing, before the banner is answered [player.consent-unknown]", async () => {
    await returns("shopify", { after: 20, allowed: false, decided: "" });
    const before = await kept();
    await starts();
    expect(await kept()).toEqual(before);
    await on.page.evaluate(() => {
      const { customerPrivacy } = Reflect.get(window, "Shopify") as { customerPrivacy: object };
      Object.assign(customerPrivacy, { currentVisitorConsent: () => ({ analytics: "no" }) });
      document.dispatchEvent(new CustomEvent("visitorConsentCollected", { detail: { analyticsAllowed: false } }));
    });
    expect(await kept()).toEqual([]);
  });

  it("ends when the API says no, and everything is removed [player.consent, player.consent-unknown]", async () => {
    await returns("shopify", { after: 300, allowed: false, decided: "no" });
    await expect.poll(kept).toEqual([]);
  });

  it("starts without an API that takes longer than two seconds, and stores once that allows it [player.consent-unknown]", async () => {
    await returns("shopify", { after: 4_000, allowed: true, decided: "yes" });
    expect(await offer().count()).toBe(0);
    await starts();
    await expect.poll(async () => (await sessions()).length, { timeout: 20_000 }).toBe(2);
  });

  it("leaves what was stored until the page says no [player.consent-unknown]", async () => {
    await returns("manual");
    const before = await kept();
    await starts();
    expect(await kept()).toEqual(before);
    await on.page.evaluate(() => window.quizstore?.push(["consent", false]));
    await expect.poll(kept).toEqual([]);
  });

  it("keeps the source of a visit to a page whose popup was not opened, once it is known [player.consent-unknown, player.visit-source]", async () => {
    const script: Answer = (_request, response) =>
      response
        .writeHead(200, { "content-type": "text/javascript" })
        .end(features({ after: 100, allowed: true, decided: "yes" }));
    on = await shop.open("", { pages: { "/features.js": script } });
    const popup = shop.tag('mode="popup" consent="shopify"');
    on.site.pages.set(
      "/landing",
      `<!doctype html><html lang="en"><head><title>Shop</title>${head}${shop.script}</head><body>${popup}<script defer src="/features.js"></script></body></html>`,
    );
    await on.page.goto(`${on.site.origin}/landing?utm_source=mail`, { referer: "https://search.example/" });
    await expect.poll(kept).toEqual([expect.stringContaining(":visit")]);
  });
});
