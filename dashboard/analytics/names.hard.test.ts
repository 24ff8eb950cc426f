import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { QuizDocument } from "../../engine/document.ts";
import { ownStore, sql } from "../../server/platform/database/sql.ts";
import { type Browser, signedIn } from "../../testkit/accounts.ts";
import { openBrowser } from "../../testkit/browser.ts";
import { type DashboardApp, openDashboard, openDashboardApp } from "../../testkit/dashboard.ts";
import { openFinderShop } from "../../testkit/finder-shop.ts";
import { enter, finish } from "../../testkit/session-scripts.ts";
import { finderDocument } from "../../testkit/small-quizzes.ts";

/** Names as people really give them, on every screen of figures. */

const long = "Unbroken".repeat(25);
const rightToLeft = `${"اختبار العناية بالبشرة, ".repeat(8)}SPF-30!`.slice(0, 200);

/** The finder quiz with every text of it replaced. */
const namedAll = (name: string): QuizDocument => ({
  ...finderDocument,
  pages: finderDocument.pages.map((page) => ({
    ...page,
    title: name,
    components: page.components.map((component) => ({
      ...component,
      ...("question" in component ? { question: name } : {}),
      ...("options" in component ? { options: component.options.map((one) => ({ ...one, label: name })) } : {}),
    })),
  })) as QuizDocument["pages"],
});

/** Elements that stick out of their card, and of a phone's or desktop's window, but for what scrolls by itself. */
function outside(): string[] {
  const scrolls = ".qs-scroll, .qs-table-box, .qs-graph-box, .qs-unseen";
  return [...document.querySelectorAll<HTMLElement>(".qs-page *")].flatMap((element) => {
    const card = element.closest(".qs-card") ?? element.closest(".qs-page");
    if (!card || card === element || element.closest(scrolls) || element.closest("svg")) return [];
    const { left, right, width } = element.getBoundingClientRect();
    const frame = card.getBoundingClientRect();
    const isOut = width > 0 && (right > frame.right + 1 || left < frame.left - 1);
    return isOut ? [`${element.tagName} ${element.className}: ${element.textContent?.slice(0, 30)}`] : [];
  });
}

/** Elements whose text is the name, and that give it the screen's direction rather than its own. */
function misdirected(name: string): string[] {
  const hasOwn = (element: Element | null): boolean => {
    if (element === null) return false;
    const { unicodeBidi, display } = getComputedStyle(element);
    if (unicodeBidi === "plaintext" || element.tagName === "BDI") return true;
    return display === "inline" && hasOwn(element.parentElement);
  };
  return [...document.querySelectorAll(".qs-page *, [role=dialog] *")]
    .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent === name))
    .filter((element) => !hasOwn(element))
    .map((element) => `${element.tagName} ${element.className}`);
}

const browser = await openBrowser();

describe.skipIf(browser === null)("names of 200 characters, and from right to left, on the screens of figures", () => {
  let t: DashboardApp;
  beforeAll(async () => {
    t = await openDashboardApp();
  }, 120_000);
  afterAll(() => t?.close());

  /** A shop that calls everything so, with shoppers who took its quiz. */
  async function openNamed(kind: string, name: string): Promise<{ owner: Browser; quizId: string }> {
    const shop = await openFinderShop(t, { name, document: namedAll(name) });
    const { store, quiz, take } = shop;
    for (const [number, product] of [1, 2].entries()) {
      await t.database.transaction((tx) =>
        tx.forStore(store.uuid).all(sql`
          INSERT INTO products (store_id, product_id, title, had_variants, updated_at)
          VALUES (${ownStore}, ${`gid://shopify/Product/${product}`}, ${name}, false, ${new Date(t.calendar.now())})`),
      );
      await take(
        number + 1,
        [
          enter("age", "next", { min: 2 }),
          enter("contact", "skip", { min: 3 }),
          enter("age", "back", { min: 4 }),
          enter("contact", "next", { min: 5 }),
          enter("result", "next", { min: 6 }),
          {
            ...{ type: "products_shown", page_key: "result", block_key: "picks", min: 6 },
            products: [{ product_id: `gid://shopify/Product/${product}` }],
          },
          finish("result", { min: 7 }),
        ],
        { session: { utm: { source: name }, referrer: `https://${long.slice(0, 60)}.example/` } },
      );
    }
    return { owner: await signedIn(t, `${kind}@shop.example`, { store, role: "owner" }), quizId: quiz.id };
  }

  it.each([
    ["long", long],
    ["rtl", rightToLeft],
  ])(
    "that are %s stay in their place, on a phone and a desktop [dashboard.accessible]",
    async (kind, name) => {
      const { owner, quizId } = await openNamed(kind, name);
      const quiz = (tab: string, more = "") => `/quizzes/${quizId}?tab=${tab}${more}`;
      const screens = [
        ...["/", "/quizzes", "/analytics", "/analytics?tab=quizzes", "/analytics?tab=products"],
        ...["overview", "funnel", "paths", "answers", "products"].map((tab) => quiz(tab, "&compare=previous")),
        quiz("traffic", "&by=utm_source"),
        quiz("traffic"),
        quiz("breakdown"),
      ];
      const wrong: string[] = [];
      for (const width of [320, 1440]) {
        const on = await openDashboard(t, owner, { viewport: { width, height: 800 } });
        const look = async (where: string) => {
          const found = [...(await on.page.evaluate(outside)), ...(await on.page.evaluate(misdirected, name))];
          if (await on.isWide()) found.push("wider than its window");
          wrong.push(...found.map((one) => `${width} ${where}: ${one}`));
        };
        const goTo = async (path: string) => {
          await on.follow(path);
          if (path.includes("tab=paths")) await on.page.waitForSelector("[data-card]");
        };
        await on.open("/exports");
        for (const path of screens) {
          await goTo(path);
          await look(path);
        }
        // in turns of their own, since a figure once shown as a table stays one
        for (const path of screens) {
          await goTo(path);
          const pictures = on.page.getByRole("button", { name: "As a table" });
          while ((await pictures.count()) > 0) await pictures.first().click();
          await look(`${path} as tables`);
        }
        await on.follow(quiz("answers"));
        await on.page.getByRole("button", { name: /^API call of/ }).click();
        await on.page.getByRole("dialog").waitFor();
        await look("the API call");
        wrong.push(...on.faults);
        await on.close();
      }
      expect(wrong).toEqual([]);
    },
    240_000,
  );
});
