import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { BrowserContextOptions } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { QuizDocument, Page as QuizPage, Theme } from "../../engine/document.ts";
import { openBrowser } from "../../testkit/browser.ts";
import { type OpenedScreen, openScreenPage, type ScreenSettings } from "../../testkit/browser-screen.ts";
import {
  choice,
  content,
  date,
  email,
  formula,
  number,
  option,
  page,
  phone,
  pick,
  products,
  quizDocument,
  text,
} from "../../testkit/document-parts.ts";
import { swept } from "../../testkit/sweeps.ts";
import type { CatalogProduct } from "../live-quiz.ts";

const browser = await openBrowser();
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const picture = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==";
const options = ["dry", "oily", "both"].map((id) => option(id, { image_url: picture }));

const catalog: CatalogProduct[] = ["cream", "soap"].map((product_id, index) => ({
  product_id,
  title: `The ${product_id}`,
  handle: null,
  url: `https://shop.example/${product_id}`,
  image_url: picture,
  variants: ["S", "M"].map((title) => ({
    variant_id: `${product_id}-${title}`,
    title,
    price: { amount: "12.00", currency: "EUR" },
    available: index === 0,
  })),
}));

/** Every kind of page, with every kind of component. */
const pages: Readonly<Record<string, QuizPage>> = {
  choice: page("choice", [choice("one", options, { required: true })], { subtitle: "Take one", image_url: picture }),
  many: page("many", [choice("many", options, { required: true, multiple: true })], { skippable: true }),
  images: page("images", [{ ...choice("image", options, { required: true }), kind: "image" }]),
  texts: page("texts", [
    text("short", { required: true, max_length: 40 }),
    text("long", { required: true, max_length: 900 }),
  ]),
  helped: page(
    "helped",
    [
      choice("why", options, { required: true, help: "Any of them will do" }),
      text("name", { required: true, help: "As on your bank card", format: "name", placeholder: "Ada Lovelace" }),
      date("visit", { required: true, help: "On working days", min: "today", weekdays: [1, 2, 3, 4, 5] }),
    ],
    { next_label: "Show me what fits" },
  ),
  contacts: page("contacts", [
    email("mail", { required: true, consent: { label: "I agree", required: true } }),
    phone("mobile", { required: true }),
  ]),
  numbers: page("numbers", [
    number("field", { required: true, unit: "kg" }),
    number("slider", { required: true, style: "slider", min: 0, max: 10, unit: "cm" }),
  ]),
  ratings: page("ratings", [
    number("stars", { required: true, style: "rating", min: 1, max: 5, min_label: "Never", max_label: "Always" }),
    number("digits", { style: "rating", icon: "number", min: 0, max: 10 }),
  ]),
  forms: page("forms", [
    choice("opens", options, { required: true, style: "dropdown" }),
    choice("chips", [...options, option("mine", { label: "Another", other: true })], {
      ...{ style: "chips", multiple: true, min_choices: 2, max_choices: 3, shuffle: true },
    }),
  ]),
  dates: page("dates", [date("day", { required: true }), date("moment", { required: true, with_time: true })]),
  content: page(
    "content",
    [
      content(
        "html",
        '<h2>A</h2><p>b <a href="https://a.example/">c</a></p><ul><li>d</li></ul><blockquote>e</blockquote><img src="https://a.example/i.png" width="10" height="10">',
      ),
      formula("sum", "Sum", "1 + 1"),
    ],
    { kind: "content" },
  ),
  result: page("result", [products("block", [pick("cream"), pick("soap")])], { kind: "result", headline: "For you" }),
  nothing: page("nothing", [products("empty", [])], { kind: "result" }),
};

interface Variant {
  context?: BrowserContextOptions;
  settings?: ScreenSettings;
  theme?: Theme;
}
const variants: Readonly<Record<string, Variant>> = {
  phone: { context: { viewport: { width: 375, height: 720 }, hasTouch: true, isMobile: true } },
  desktop: { context: { viewport: { width: 1440, height: 900 } } },
  "right to left": { settings: { dir: "rtl", locale: "ar" } },
  dark: { theme: { scheme: "dark" } },
  "forced colours": { context: { forcedColors: "active" } },
  "reduced motion": { context: { reducedMotion: "reduce" } },
  // at 200 % a window of 1280 pixels has room for 640
  "zoom of 200 %": { context: { viewport: { width: 640, height: 360 }, deviceScaleFactor: 2 } },
  "320 pixels": { context: { viewport: { width: 320, height: 640 } } },
  "a theme that does not read": {
    theme: { background: "#fff", surface: "#eee", text: "#bbb", accent: "#fe6", radius: 0 },
  },
};

async function violations(on: OpenedScreen): Promise<string[]> {
  return on.page.evaluate(async () => {
    const { violations } = await window.axe.run(document, { resultTypes: ["violations"] });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    );
  });
}

declare global {
  interface Window {
    axe: typeof import("axe-core");
  }
}

const isWide = (on: OpenedScreen): Promise<boolean> =>
  on.page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);

/** Fields and lists into which iPhones zoom when they get the focus: those with letters below 16 pixels. */
const zoomedInto = (on: OpenedScreen): Promise<string[]> =>
  on.quiz
    .locator("input:not([type=radio]):not([type=checkbox]):not([type=range]), select, textarea")
    .evaluateAll((fields) =>
      fields.flatMap((field) => (Number.parseFloat(getComputedStyle(field).fontSize) < 16 ? [field.outerHTML] : [])),
    );

/** All kinds of pages in one quiz, each left by Skip. */
function documentOf(theme: Theme | undefined): QuizDocument {
  const kinds = Object.values(pages).map((one) => ({ ...one, skippable: true }));
  const toTheLast = { component_key: "short", op: "not_answered" as const };
  return quizDocument([page("first", [text("name")], { title: "The first" }), ...kinds], {
    jump_rules: [{ jump_rule_key: "on", source_page_key: "result", when: toTheLast, target_page_key: "nothing" }],
    presentation: {
      cover_image_url: picture,
      description: "About",
      progress: "steps",
      ...(theme && { theme }),
    },
  });
}

describe.skipIf(browser === null)("a quiz for everybody", () => {
  it("is no wider than a phone, however long a word of it is [player.accessible]", async () => {
    const word = "Donaudampfschifffahrtsgesellschaft".repeat(4);
    const named = { title: word, subtitle: word };
    const result = page("result", [products("block", [pick("cream")])], { ...named, kind: "result" });
    const first = page("first", [choice("one", [option("dry", { label: word })], { question: word })], named);
    const texts = { next: word, add_to_cart: word, view_product: word, restart: word };
    const known = catalog.map((product) => ({ ...product, title: word }));
    const on = await openScreenPage(quizDocument([first, result], { presentation: { description: word, texts } }), {
      catalog: known,
      context: { viewport: { width: 320, height: 640 } },
    });
    await on.title.waitFor();
    expect(await isWide(on)).toBe(false);
    await on.quiz.locator(".foot .main").click();
    await on.quiz.locator(".product").waitFor();
    expect(await isWide(on)).toBe(false);
    await on.close();
  });

  for (const name of swept(Object.keys(variants), ["phone", "dark"])) {
    const { context = {}, settings, theme } = variants[name] ?? {};
    it(`axe finds nothing on any page, nor after an empty answer or Back: ${name} [player.accessible]`, async () => {
      // the page's policy is not what is tested here, and keeps axe out
      const given = { catalog, ...settings, context: { ...context, bypassCSP: true } };
      const on = await openScreenPage(documentOf(theme), given);
      await on.page.addScriptTag({ content: axe });
      await on.page.route("https://a.example/**", (route) => route.fulfill({ contentType: "image/gif", body: "" }));
      const press = (index: number) => on.quiz.locator(".foot button").nth(index).click();
      const arrive = (title: string) => expect.poll(() => on.title.textContent(), { interval: 10 }).toBe(title);
      const titles = Object.values(pages).map(({ headline, title }) => headline ?? title);
      await on.quiz.locator(".foot .main").click();
      for (const [index, title] of titles.entries()) {
        await arrive(title);
        expect(await violations(on), title).toEqual([]);
        expect(await isWide(on), title).toBe(false);
        expect(await zoomedInto(on), title).toEqual([]);
        if (title === "nothing") break;
        await on.quiz.locator(".foot .main").click();
        if (["content", "For you"].includes(title)) continue;
        await on.quiz.locator(".complaint").first().waitFor();
        expect(await violations(on), `${title}, empty`).toEqual([]);
        const after = titles[index + 1] ?? "";
        await press(1);
        await arrive(after);
        await press(0);
        await arrive(title);
        expect(await violations(on), `${title}, after Back`).toEqual([]);
        await press(1);
      }
      expect(on.faults).toEqual([]);
      await on.close();
    });
  }
});
