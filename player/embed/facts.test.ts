import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../../testkit/browser.ts";
import { type EmbeddedShop, openEmbeddedShop } from "../../testkit/browser-quiz.ts";
import { sessionRow } from "../../testkit/storefront.ts";

describe.skipIf((await openBrowser()) === null)("what the server is told of a session", () => {
  let shop: EmbeddedShop;
  beforeAll(async () => {
    shop = await openEmbeddedShop();
  });
  afterAll(() => shop.close());

  /** The stored session of a visit to the page, of which nothing is kept for the next. */
  async function visited(attributes: string, { search = "", ...options }: { search?: string; referer?: string } = {}) {
    const { page, site, heard, close } = await shop.open("", { pages: { "/quiz": pageOf(attributes) } });
    await page.goto(`${site.origin}/quiz${search}`, options);
    const { session_id } = await heard("page");
    const find = () => sessionRow(shop.t, shop.store, session_id ?? "");
    await expect.poll(find).toBeDefined();
    const row = await find();
    await close();
    return { row, url: `${site.origin}/quiz${search}` };
  }
  const pageOf = (attributes: string) =>
    `<!doctype html><html lang="en"><head><title>Shop</title>${shop.script}</head><body>${shop.tag(attributes)}</body></html>`;

  it("is where it came from: campaign, page and referrer [player.session-facts]", async () => {
    const utm = "utm_source=mail&utm_medium=newsletter&utm_campaign=Spring+2&utm_content=top&utm_term=%C3%B6l";
    const { row, url } = await visited("", { search: `?${utm}&other=1`, referer: "https://search.example/path?q=1" });
    expect(row).toMatchObject({
      utm_source: "mail",
      utm_medium: "newsletter",
      utm_campaign: "Spring 2",
      utm_content: "top",
      utm_term: "öl",
      referrer_host: "search.example",
      // without what stands behind it, which may name a person
      page_url: url.replace(/\?.*/, ""),
      locale: "en",
      time_zone: "UTC",
      // of the client hints: the user agent says no more than X11
      device_class: "desktop",
      device: expect.objectContaining({ os: "Linux", browser: "Chrome" }),
    });
  });

  it.each([
    ["", { channel: "online_store", placement: "inline", preview: false }],
    ['data-channel="app" data-placement="product page"', { channel: "app", placement: "product page" }],
    [
      `data-channel="No Channel!" data-placement="${"p".repeat(300)}"`,
      { channel: "online_store", placement: "p".repeat(200) },
    ],
    ["preview", { preview: true }],
    ['preview="false"', { preview: false }],
  ])("is what the element %s says [player.session-facts]", async (attributes, expected) => {
    const { row } = await visited(attributes);
    expect(row).toMatchObject(expected);
  });
});
