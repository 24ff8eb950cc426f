import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ownStore, sql } from "../server/platform/database/sql.ts";
import type { TestStore } from "../testkit/app.ts";
import { openChromium } from "../testkit/browser-driven.ts";
import { openShopSite, type ShopSite } from "../testkit/browser-shop.ts";
import { openPlayerApp, type PlayerApp } from "../testkit/built-player.ts";
import { choice, content, email, number, option, page, phone, quizDocument } from "../testkit/document-parts.ts";
import { makeQuiz, type TestQuiz } from "../testkit/quizzes.ts";
import { type DrivenBrowser, openFirefox, openWebKit } from "../testkit/webdriver.ts";
import { until } from "./program.ts";

/** A shopper takes a quiz in each browser that most shoppers have, on a page of a shop that is not the server's. */

const browsers = { Chromium: await openChromium(), Firefox: await openFirefox(), WebKit: await openWebKit() };

let t: PlayerApp;
let store: TestStore;
let quiz: TestQuiz;
let site: ShopSite;

const document = quizDocument([
  page("skin", [choice("feel", [option("dry"), option("oily"), option("fine")], { required: true })], {
    title: "Skin",
  }),
  page("you", [number("age", { min: 0, max: 120 }), email("mail", { consent: null })], { title: "You" }),
  page("end", [content("thanks", "<p>That was <strong>all</strong>.</p>")], { title: "For you", kind: "result" }),
]);

beforeAll(async () => {
  t = await openPlayerApp();
  store = await t.store();
  const presented = { ...document, presentation: { advance: "button" } };
  quiz = await makeQuiz(t, store, { name: "In each browser", document: presented, publish: true });
  const shell = (body: string) =>
    `<!doctype html><html lang="en"><title>Shop</title><script async src="${t.url}/embed.js"></script>${body}</html>`;
  const asked = page("contact", [email("mail", { consent: null }), phone("tel")], { title: "Contact" });
  const thanks = page("end", [content("thanks", "<p>Thanks</p>")], { title: "Done", kind: "result" });
  const contacts = await makeQuiz(t, store, {
    name: "Contacts",
    document: quizDocument([asked, thanks]),
    publish: true,
  });
  const element = (more: string, { id } = quiz) =>
    `<quiz-store quiz="${id}" store="${store.publishableKey}" ${more}></quiz-store>`;
  site = await openShopSite({
    "/inline": shell(element("")),
    "/contacts": shell(element("", contacts)),
    "/popup": shell(
      `<button id="open" data-quizstore-open="${quiz.id}">Find yours</button>${element('mode="popup" trigger="click"')}`,
    ),
  });
}, 60_000);

afterAll(async () => {
  for (const browser of Object.values(browsers)) await browser?.close();
  await site?.close();
  await t?.close();
});

/** A page's expression: the first element that matches, in whichever open shadow root it lies. */
const deep = (selector: string): string =>
  `(function find(root) {
    const found = root.querySelector(${JSON.stringify(selector)});
    if (found) return found;
    for (const each of root.querySelectorAll("*")) {
      const inner = each.shadowRoot && find(each.shadowRoot);
      if (inner) return inner;
    }
    return null;
  })(document)`;

/** The page whose heading is shown, as soon as it is the one. */
const isOn = (browser: DrivenBrowser, title: string): Promise<void> =>
  browser.until(`${deep("h2")} && ${deep("h2")}.textContent === ${JSON.stringify(title)}`);

interface Kept {
  status: string;
  answers: string;
}

/** What the server made of the visits that it was told of. */
const sessions = (): Promise<Kept[]> =>
  t.database
    .reader()
    .forStore(store.uuid)
    .all(sql<Kept>`SELECT status, state::text AS answers FROM sessions WHERE store_id = ${ownStore}`);

describe.each(Object.entries(browsers))("%s", (name, opened) => {
  const test = it.skipIf(opened === null);
  const browser = opened as DrivenBrowser;

  test("takes a quiz by clicks and keys, with Back and a reload in between, and the server has each answer [player.browsers]", async () => {
    const before = (await sessions()).length;
    await browser.goto(`${site.address}/inline`);
    await isOn(browser, "Skin");
    await browser.click(deep('input[type="radio"]'));
    await browser.click(deep("button.main"));
    await isOn(browser, "You");
    await browser.type(deep('input[name="age"], input[inputmode]'), "34");
    await browser.click(deep("button.plain"));
    await isOn(browser, "Skin");
    expect(await browser.run(`return ${deep('input[type="radio"]')}.checked`)).toBe(true);
    await browser.click(deep("button.main"));
    await isOn(browser, "You");
    await browser.reload();
    await isOn(browser, "You");
    expect(await browser.run(`return ${deep("input[inputmode]")}.value`)).toBe("34");
    await browser.type(deep('input[type="email"]'), `${name.toLowerCase()}@example.com`);
    await browser.press("Enter");
    await isOn(browser, "For you");
    expect(await browser.run(`return ${deep("strong")}.textContent`)).toBe("all");
    const own = `${name.toLowerCase()}@example.com`;
    const isOwn = ({ status, answers }: Kept): boolean => status === "completed" && answers.includes(own);
    const kept = await until(sessions, (all) => all.some(isOwn));
    // one visit, whatever was loaded anew
    expect(kept).toHaveLength(before + 1);
    const answers = kept.find(isOwn)?.answers;
    for (const answer of ["dry", "34"]) expect(answers).toContain(answer);
  }, 60_000);

  test("counts what a password manager fills in without an event, in the country that the shopper chose [player.filled-fields, player.phone-country]", async () => {
    const own = `filled-${name.toLowerCase()}@example.com`;
    await browser.goto(`${site.address}/contacts`);
    await browser.until(`${deep("select")} && ${deep("select")}.length > 200`);
    await browser.run(`${deep('input[type="email"]')}.value = arguments[0]`, `${own}`);
    await browser.run(`${deep('input[type="tel"]')}.value = "0170 1234567"`);
    await browser.run(`${deep("select")}.value = "DE"`);
    await browser.click(deep("button.main"));
    await isOn(browser, "Done");
    const kept = await until(sessions, (all) => all.some(({ answers }) => answers.includes(own)));
    expect(kept.find(({ answers }) => answers.includes(own))?.answers).toContain("+491701234567");
  }, 60_000);

  test("opens it in a popup, closes it by Escape and is back where it was [player.browsers]", async () => {
    await browser.goto(`${site.address}/popup`);
    await browser.until("customElements.get('quiz-store')");
    await browser.click("document.getElementById('open')");
    await browser.until(`${deep("dialog[open]")} && ${deep("h2")}`);
    await browser.press("Escape");
    await browser.until(`!${deep("dialog[open]")}`);
    expect(await browser.run("return document.activeElement.id")).toBe("open");
  }, 60_000);
});
