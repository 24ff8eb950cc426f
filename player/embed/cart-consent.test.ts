import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { signPreview } from "../../server/quizzes/public.ts";
import { openBrowser } from "../../testkit/browser.ts";
import { type EmbeddedPage, type EmbeddedShop, openEmbeddedShop } from "../../testkit/browser-quiz.ts";
import type { Answer } from "../../testkit/browser-shop.ts";
import { postWebhook } from "../../testkit/commerce.ts";
import { choice, option, pick, products, quizDocument, page as quizPage } from "../../testkit/document-parts.ts";
import { sessionRow } from "../../testkit/storefront.ts";

const lamp = "gid://shopify/Product/1";
const document = quizDocument([
  quizPage("which", [choice("taste", [option("warm"), option("cold")])], { title: "Which?" }),
  quizPage("result", [products("best", [pick(lamp)], { source: "fixed" })], { title: "For you", kind: "result" }),
]);

const stored = ({ page }: EmbeddedPage): Promise<string[]> =>
  page.evaluate(() => [...Object.keys(localStorage), ...Object.keys(sessionStorage)]);

describe.skipIf((await openBrowser()) === null)("a shop's cart and a shopper's consent", () => {
  let shop: EmbeddedShop;
  beforeAll(async () => {
    shop = await openEmbeddedShop(document);
    const times = { created_at: "2026-03-01T10:00:00Z", updated_at: "2026-03-01T10:00:00Z" };
    const variants = [11, 12].map((id, at) => ({ id, title: `No ${id}`, price: "9.00", position: at + 1 }));
    const payload = { id: 1, title: "Lamp", handle: "lamp", status: "active", ...times, variants };
    const answer = await postWebhook(shop.t, shop.store, { topic: "products/create", payload });
    expect(answer.status).toBe(200);
  });
  afterAll(() => shop.close());

  async function toResult({ page, heard }: EmbeddedPage): Promise<void> {
    await heard("page");
    await page.getByLabel("warm").click();
    await heard("result");
  }

  it("puts products into Shopify's cart with the session, and says why where it refuses [player.shopify-cart]", async () => {
    const asked: { path: string; body: unknown }[] = [];
    let refuses = true;
    const answer: Answer = (request, response, body) => {
      asked.push({ path: request.url ?? "", body: JSON.parse(body) });
      const refusal = { status: 422, message: "Cart Error", description: "All 3 lamps are in your cart." };
      response.writeHead(refuses ? 422 : 200, { "content-type": "application/json" });
      response.end(JSON.stringify(refuses ? refusal : {}));
    };
    const head = '<script>window.Shopify = { routes: { root: "/en/" } }</script>';
    const pages = { "/en/cart/add.js": answer, "/en/cart/update.js": answer };
    const opened = await shop.open(shop.tag(), { head, pages });
    await toResult(opened);
    const { page, heard } = opened;
    await page.getByRole("button", { name: /Add to cart/ }).click();
    await page.getByText("All 3 lamps are in your cart.").first().waitFor();
    expect((await heard("error")).kind).toBe("cart");
    refuses = false;
    asked.length = 0;
    await page.getByRole("button", { name: /Add to cart/ }).click();
    const added = await heard("product-added");
    const session_id = added.session_id ?? "";
    expect(added).toMatchObject({ product_id: lamp, variant_id: "gid://shopify/ProductVariant/11", quantity: 1 });
    const row = async () => sessionRow(shop.t, shop.store, session_id);
    await expect.poll(async () => (await row())?.state.added).toMatchObject([{ product_id: lamp, quantity: 1 }]);
    const visitor = `vis_${(await row())?.visitor_id.replaceAll("-", "")}`;
    expect(asked).toEqual([
      {
        path: "/en/cart/add.js",
        body: { items: [{ id: 11, quantity: 1, properties: { _quiz_session: session_id } }] },
      },
      { path: "/en/cart/update.js", body: { attributes: { _quiz_session: session_id, _quiz_visitor: visitor } } },
    ]);
    await opened.close();
  });

  it("asks the page's own handler where there is no such cart, and believes what it says [player.cart-handler]", async () => {
    const head = `<script>
      window.asked = []; window.answer = "Not today.";
      (window.quizstore ||= []).push(["cart", async (request) => { asked.push(request); return answer; }]);</script>`;
    const opened = await shop.open(shop.tag(), { head });
    await toResult(opened);
    const { page, heard, told } = opened;
    await page.getByRole("button", { name: /Add to cart/ }).click();
    await page.getByText("Not today.").first().waitFor();
    expect((await told()).map(({ name }) => name)).not.toContain("product-added");
    await page.evaluate("answer = undefined");
    await page.getByRole("button", { name: /Add to cart/ }).click();
    await heard("product-added");
    expect(await page.evaluate("asked[1].lines")).toEqual([
      { product_id: lamp, variant_id: "gid://shopify/ProductVariant/11", quantity: 1 },
    ]);
    await opened.close();
  });

  it("opens the shop's cart with the products in it from the pages that need no shop [player.hosted-cart]", async () => {
    const opened = await shop.open("");
    const { page, heard } = opened;
    await page.context().route(/^https:/, (route) => route.fulfill({ contentType: "text/html", body: "The cart" }));
    const expires = shop.t.foundations.calendar.now() + 3_600_000;
    const preview = { storeId: shop.store.uuid, quizId: shop.quiz.uuid, versionId: null, expires };
    for (const path of [
      `q/${shop.store.publishableKey}/${shop.quiz.id}`,
      `preview/${signPreview(shop.t.foundations.secrets, preview)}`,
    ]) {
      await page.goto(`${shop.t.url}/${path}`);
      await toResult(opened);
      const [cart] = await Promise.all([
        page.waitForEvent("popup"),
        page.getByRole("button", { name: /Add to cart/ }).click(),
      ]);
      const { session_id } = await heard("product-added");
      await cart.waitForLoadState();
      const url = new URL(cart.url());
      expect([url.protocol, url.pathname]).toEqual(["https:", "/cart/add"]);
      const added = Object.fromEntries(url.searchParams);
      const item = { "items[0][id]": "11", "items[0][quantity]": "1" };
      const property = { "items[0][properties][_quiz_session]": session_id };
      expect(added).toEqual(
        session_id === null ? item : { ...item, ...property, return_to: expect.stringContaining("/cart/update?") },
      );
      const { searchParams: then } = new URL(added["return_to"] ?? "/", url);
      expect(then.get("attributes[_quiz_session]")).toBe(session_id);
      expect(then.has("attributes[_quiz_visitor]")).toBe(session_id !== null);
      expect(session_id !== null).toBe(path.startsWith("q/"));
      // it was told so: the shop's own page cannot reach back into the quiz's
      expect(await cart.evaluate(() => window.opener)).toBeNull();
      await cart.close();
    }
    await opened.close();
  });

  it("opens the shop's cart in place of the page where no window opens [player.hosted-cart]", async () => {
    const opened = await shop.open("", {
      // as browsers inside apps do
      prepare: (page) => page.addInitScript(() => Object.assign(window, { open: () => null })),
    });
    const { page } = opened;
    await page.context().route(/^https:/, (route) => route.fulfill({ contentType: "text/html", body: "The cart" }));
    await page.goto(`${shop.t.url}/q/${shop.store.publishableKey}/${shop.quiz.id}`);
    await toResult(opened);
    await page.getByRole("button", { name: /Add to cart/ }).click();
    await page.waitForURL(/^https:.*\/cart\/add\?items.*=11&/);
    await opened.close();
  });

  it("keeps nothing beyond the page without consent, and all of it once it is given [player.consent]", async () => {
    const opened = await shop.open(shop.tag('consent="manual"'));
    await toResult(opened);
    expect(await stored(opened)).toEqual([]);
    await opened.page.evaluate(() => (window.quizstore as { consent(granted: boolean): void }).consent(true));
    expect((await stored(opened)).length).toBeGreaterThan(0);
    await opened.page.evaluate(() => (window.quizstore as { consent(granted: boolean): void }).consent(false));
    expect(await stored(opened)).toEqual([]);
    await opened.close();
    const usual = await shop.open(shop.tag());
    await toResult(usual);
    expect((await stored(usual)).length).toBeGreaterThan(0);
    await usual.close();
  });

  it("hears of consent from Shopify's banner [player.consent]", async () => {
    const head =
      "<script>window.allowed = false; window.Shopify = { customerPrivacy: { analyticsProcessingAllowed: () => allowed } }</script>";
    const opened = await shop.open(shop.tag('consent="shopify"'), { head });
    await toResult(opened);
    expect(await stored(opened)).toEqual([]);
    await opened.page.evaluate(
      "allowed = true; document.dispatchEvent(new CustomEvent('visitorConsentCollected', { detail: { analyticsAllowed: true } }))",
    );
    expect((await stored(opened)).length).toBeGreaterThan(0);
    await opened.close();
  });
});
