import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ownStore, sql } from "../server/platform/database/sql.ts";
import type { TestStore } from "../testkit/app.ts";
import { openChromium } from "../testkit/browser-driven.ts";
import { type Answer, openShopSite, type ShopSite } from "../testkit/browser-shop.ts";
import { shortcutHtml, shortcutPages } from "../testkit/browser-shortcuts.ts";
import { translate } from "../testkit/browser-translator.ts";
import { openPlayerApp, type PlayerApp } from "../testkit/built-player.ts";
import { postWebhook } from "../testkit/commerce.ts";
import { content, email, page, pick, products, quizDocument, text } from "../testkit/document-parts.ts";
import { makeQuiz } from "../testkit/quizzes.ts";
import { type DrivenBrowser, openFirefox, openWebKit } from "../testkit/webdriver.ts";
import { until } from "./program.ts";

/** What pages of shops, their scripts and the network before the server do to a quiz, in each browser. */

const browsers = { Chromium: await openChromium(), Firefox: await openFirefox(), WebKit: await openWebKit() };
const guide = readFileSync(join(import.meta.dirname, "../docs/embedding.md"), "utf8");
const [, snippet = ""] = /<!-- taps before the script is there -->\n(<script>.*?<\/script>)/s.exec(guide) ?? [];

let t: PlayerApp;
let store: TestStore;
let site: ShopSite;
let carts: { path: string; body: { items?: { id: number }[] } }[] = [];
let hosted = "";

const gid = (kind: string, id: number) => `gid://shopify/${kind}/${id}`;

beforeAll(async () => {
  t = await openPlayerApp();
  store = await t.store();
  const times = { created_at: "2026-03-01T10:00:00Z", updated_at: "2026-03-01T10:00:00Z" };
  for (const id of [1, 2]) {
    const variants = [
      { id: 10 * id + 1, title: "Small", price: "12.00", position: 1 },
      { id: 10 * id + 2, title: "Large", price: "149.00", position: 2 },
    ];
    const payload = { id, title: `Cream ${id}`, handle: `cream-${id}`, status: "active", ...times, variants };
    await postWebhook(t, store, { topic: "products/create", payload });
  }
  const asked = [
    email("mail", { consent: null }),
    text("words", { max_length: 100 }),
    text("story", { max_length: 4_000 }),
  ];
  const answered = await makeQuiz(t, store, {
    publish: true,
    document: quizDocument([
      page("you", asked, { title: "You" }),
      page("end", [content("thanks", "<p>Thanks</p>")], { title: "Done", kind: "result" }),
    ]),
  });
  const routine = await makeQuiz(t, store, {
    publish: true,
    document: quizDocument([
      page("start", [text("words")], { title: "Start" }),
      page("end", [products("best", [pick(gid("Product", 1)), pick(gid("Product", 2))], { source: "fixed" })], {
        title: "For you",
        kind: "result",
      }),
    ]),
  });
  hosted = `${t.url}/q/${store.publishableKey}/${routine.id}`;
  const script = `<script async src="${t.url}/embed.js"></script>`;
  const tag = ({ id }: { id: string }, more = "") =>
    `<quiz-store quiz="${id}" store="${store.publishableKey}" ${more}></quiz-store>`;
  const shell = (body: string, head = script) =>
    `<!doctype html><html lang="en"><title>Shop</title>${head}<body>${body}</body></html>`;
  const opener = `<button id="open" data-quizstore-open="${answered.id}">Find yours</button>${tag(answered, 'mode="popup"')}`;
  const tall = "<p>Words</p>".repeat(120);
  const cart: Answer = (request, response, body) => {
    carts.push({ path: request.url ?? "", body: JSON.parse(body) });
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  };
  const blocked = `<script>
    const real = fetch;
    let times = 2;
    window.fetch = (url, options) =>
      String(url).includes("/events") && times-- > 0
        ? Promise.resolve(new Response("<html><h1>Blocked</h1></html>", { status: 403, headers: { "content-type": "text/html" } }))
        : real(url, options);
    navigator.sendBeacon = () => false;
  </script>`;
  site = await openShopSite({
    "/empty": shell("", ""),
    "/shortcuts": shell(shortcutHtml() + tag(answered)),
    "/early": shell(opener, snippet),
    "/popup": shell(opener + tall),
    "/full": shell(`<script>Object.defineProperty(window, "innerWidth", { get: () => 100 })</script>${opener}`),
    "/old": shell(tag(answered), `<script>delete Navigator.prototype.sendBeacon</script>${script}`),
    "/blocked": shell(tag(answered), blocked + script),
    "/routine": shell(tag(routine), `<script>window.Shopify = { routes: { root: "/" } }</script>${script}`),
    "/cart/add.js": cart,
    "/cart/update.js": cart,
    ...shortcutPages,
  });
}, 90_000);

afterAll(async () => {
  for (const browser of Object.values(browsers)) await browser?.close();
  await site?.close();
  await t?.close();
});

/** A page's expression: the element in whichever open shadow root that matches, the first or that of an index. */
const deep = (selector: string, index = 0): string =>
  `(function all(root) {
    const found = [...root.querySelectorAll(${JSON.stringify(selector)})];
    for (const each of root.querySelectorAll("*")) if (each.shadowRoot) found.push(...all(each.shadowRoot));
    return found;
  })(document)[${index}]`;

const isOn = (browser: DrivenBrowser, title: string): Promise<void> =>
  browser.until(`${deep("h2")} && ${deep("h2")}.textContent === ${JSON.stringify(title)}`);

const answersOf = async (own: string): Promise<string> => {
  const rows = () =>
    t.database
      .reader()
      .forStore(store.uuid)
      .all(sql<{ answers: string }>`SELECT state::text AS answers FROM sessions WHERE store_id = ${ownStore}`);
  const kept = await until(rows, (all) => all.some(({ answers }) => answers.includes(own)));
  return kept.find(({ answers }) => answers.includes(own))?.answers ?? "";
};

describe.each(Object.entries(browsers))("%s", (name, opened) => {
  const test = it.skipIf(opened === null);
  const browser = opened as DrivenBrowser;
  const mail = (of: string) => `${of}-${name.toLowerCase()}@example.com`;

  /** Opens a page as somebody who was never there: nobody is asked whether to go on. */
  async function fresh(path: string): Promise<void> {
    await browser.goto(`${site.address}/empty`);
    await browser.run("localStorage.clear(); sessionStorage.clear()");
    await browser.goto(`${site.address}${path}`);
  }

  /** Takes the quiz on the page with this email, and leaves for another page. */
  async function takes(path: string, typed: string): Promise<void> {
    await fresh(path);
    await isOn(browser, "You");
    await browser.type(deep("[name=mail]"), typed);
    await browser.click(deep("button.main"));
    await isOn(browser, "Done");
  }

  test("gives a shop's shortcuts nothing that is typed into a quiz [player.own-keys]", async () => {
    await fresh("/shortcuts");
    await browser.until("window.hasShortcuts");
    await isOn(browser, "You");
    await browser.type(deep("[name=words]"), "lips and/or eyes. 5");
    expect(await browser.run(`return ${deep("[name=words]")}.value`)).toBe("lips and/or eyes. 5");
    expect(await browser.run("return shortcuts.join()")).toBe("");
    await browser.press("Tab");
    expect(await browser.run("return shortcuts.join()")).toBe("Tab");
    expect(await browser.run(`return ${deep("[name=story]")}.matches(":focus")`)).toBe(true);
  }, 60_000);

  test("takes an email out of what is around it, and says of another that it is none [player.contacts]", async () => {
    await fresh("/old");
    await isOn(browser, "You");
    await browser.type(deep("[name=mail]"), "ada@example..com");
    await browser.click(deep("button.main"));
    await browser.until(deep(".complaint"));
    await takes("/old", `<${mail("wrapped")}>,`);
    await browser.goto(`${site.address}/empty`);
    expect(await answersOf(mail("wrapped"))).toContain("wrapped");
    const people = await t.request("GET", `/v1/profiles?q=${mail("wrapped")}`, { key: store.key });
    expect(people.body.data).toHaveLength(1);
  }, 60_000);

  test("opens by a tap before its script is there [player.early-click]", async () => {
    await fresh("/early");
    await browser.click("document.getElementById('open')");
    await browser.run(
      `const script = document.createElement("script"); script.src = "${t.url}/embed.js"; document.head.append(script)`,
    );
    await browser.until(`${deep("dialog[open]")} && ${deep("h2")}`);
  }, 60_000);

  test("closes by Back, and opens again by Forward as it was [player.overlay-back]", async () => {
    await fresh("/full");
    await browser.until("customElements.get('quiz-store')");
    await browser.click("document.getElementById('open')");
    await isOn(browser, "You");
    await browser.type(deep("[name=words]"), "kept");
    await browser.run("history.back()");
    await browser.until(`!${deep("dialog[open]")}`);
    expect(await browser.run("return location.pathname")).toBe("/full");
    await browser.run("history.forward()");
    await browser.until(deep("dialog[open]"));
    expect(await browser.run(`return ${deep("[name=words]")}.value`)).toBe("kept");
    await browser.press("Escape");
    await browser.until(`!${deep("dialog[open]")} && !history.state?.quizstore`);
  }, 60_000);

  test("sends without beacons, and through what answers in the server's place [player.browsers, player.proxies]", async () => {
    await takes("/old", mail("old"));
    await browser.goto(`${site.address}/empty`);
    expect(await answersOf(mail("old"))).toContain("end");
    await takes("/blocked", mail("blocked"));
    expect(await answersOf(mail("blocked"))).toContain(mail("blocked"));
  }, 90_000);

  test("shows present prices on a translated page, and adds what is missing of a routine [player.translated, player.add-all]", async () => {
    carts = [];
    await fresh("/routine");
    await isOn(browser, "Start");
    await browser.click(deep("button.main"));
    await browser.until(deep(".product select"));
    await browser.run(`(${translate.toString()})(document.body)`);
    await browser.run(
      `const list = ${deep(".product select")}; list.value = ${JSON.stringify(gid("ProductVariant", 12))}; list.dispatchEvent(new Event("change", { bubbles: true }))`,
    );
    await browser.until(`/149/.test(${deep(".price")}.textContent)`);
    await browser.click(deep(".product button.main"));
    await until(
      async () => carts.length,
      (sent) => sent === 2,
    );
    await browser.until(`${deep(".all button")}`);
    await browser.click(deep(".all button"));
    await until(
      async () => carts.length,
      (sent) => sent === 4,
    );
    expect(carts.flatMap(({ body }) => body.items?.map(({ id }) => id) ?? [])).toEqual([12, 21]);
    await browser.until(`${deep(".all a")} && ${deep(".all a")}.pathname === "/cart"`);
  }, 60_000);

  test("adds to the shop's cart from the hosted page [player.hosted-cart]", async () => {
    await browser.goto(hosted);
    await isOn(browser, "Start");
    await browser.click(deep("button.main"));
    await browser.until(deep(".product button.main"));
    await browser.run("window.open = (address) => { window.opened = address; return {} }");
    await browser.click(deep(".product button.main"));
    await browser.until("window.opened");
    const link = new URL(await browser.run<string>("return opened"));
    expect([link.pathname, link.searchParams.get("items[0][id]")]).toEqual(["/cart/add", "11"]);
    expect(link.searchParams.get("items[0][properties][_quiz_session]")).toMatch(/^sess_/);
  }, 60_000);
});
