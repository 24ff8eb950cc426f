import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { putProducts } from "../server/orders/catalog.ts";
import { ownStore, sql } from "../server/platform/database/sql.ts";
import { parseId } from "../server/platform/ids.ts";
import { type Browser, signedIn } from "../testkit/accounts.ts";
import type { Body, TestStore } from "../testkit/app.ts";
import { type DashboardApp, type DashboardPage, openDashboard, openDashboardApp } from "../testkit/dashboard.ts";
import { readRows, readStats, toldRow, watchQuestions } from "../testkit/dashboard-figures.ts";
import { type Hand, keyboard, mouse } from "../testkit/dashboard-hands.ts";
import { pick } from "../testkit/taken-quiz.ts";

/** A quiz that is made by hand, from nothing to shoppers and their figures, by one way to operate the screen. */

const questions = 11;
const answers = ["Calm", "Wild"] as const;
type Answer = (typeof answers)[number];
const creams = ["Calm cream", "Wild cream"];

/** Twelve pages: eleven questions, of which the first decides by a jump, and a result with products by points. What the points took. */
async function build({ page }: DashboardPage, hand: Hand): Promise<Pick<Hand, "presses" | "keys">> {
  await hand.press(page.getByLabel("Name"));
  await hand.write("Made by hand");
  await hand.press(page.getByRole("button", { name: "Begin empty" }));
  await page.waitForURL(/\/edit/);
  const focused = (name: string): Locator => page.locator(`[data-field="${name}"]:focus`);
  for (let n = 0; n < questions; n += 1) {
    await hand.press(page.getByRole("button", { name: "Question", exact: true }));
    await hand.press(page.getByRole("menuitem", { name: "Choice", exact: true }));
    await focused(`pages.${n}.title`).waitFor();
    await hand.write(`Page ${n + 1}`);
    await hand.key("Enter");
    await focused(`pages.${n}.components.0.question`).waitFor();
    await hand.write(`Question ${n + 1}?`);
    for (const [at, answer] of answers.entries()) {
      await hand.key("Enter");
      await focused(`pages.${n}.components.0.options.${at}.label`).waitFor();
      await hand.write(answer);
    }
  }
  await hand.press(page.getByRole("button", { name: "Result for everybody" }));
  await focused(`pages.${questions}.title`).waitFor();
  await hand.write("For you");
  await hand.press(page.getByRole("button", { name: "Add to this page" }));
  await hand.press(page.getByRole("menuitem", { name: "Products" }));
  await hand.press(page.getByRole("button", { name: "Choose products" }));
  for (const name of creams) await hand.press(page.getByRole("checkbox", { name }));
  await hand.press(page.getByRole("button", { name: "Add 2 products" }));
  await hand.choose(page.getByLabel("Which are shown"), "Those of the result that wins");
  const before = { ...hand };
  await points(page, hand);
  const forPoints = { presses: hand.presses - before.presses, keys: hand.keys - before.keys };
  await hand.press(page.getByRole("tab", { name: "Build" }));
  for (const [index, name] of answers.entries())
    await hand.choose(
      page.locator(`[data-field="pages.${questions}.components.0.products.${index}.dimension_id"]`),
      name,
    );
  await jump(page, hand);
  await hand.press(page.getByRole("button", { name: "Publish" }));
  await page.getByText("Nothing of this quiz is live yet").waitFor();
  await hand.press(page.getByRole("dialog").getByRole("button", { name: "Publish" }));
  await page.getByText("Published. Shoppers are served it from now on.").waitFor();
  return forPoints;
}

/** Two results; a point for Calm and for Wild in each question, from cell to cell by arrows. */
async function points(page: Page, hand: Hand): Promise<void> {
  await hand.press(page.getByRole("tab", { name: "Points and data" }));
  for (const [index, name] of answers.entries()) {
    await hand.press(page.getByRole("button", { name: "Add one without a page" }));
    await page.locator(`[data-field="dimensions.${index}.name"]:focus`).waitFor();
    await hand.write(name);
  }
  const cell = (row: number, column: number): Locator => page.locator(`[data-cell="${row} ${column}"]`);
  await hand.press(cell(0, 0));
  for (let row = 0; row < 2 * questions; row += 1) {
    // the next cell down is in the other column, and back again
    await hand.write("1");
    if (row === 2 * questions - 1) break;
    await hand.key("ArrowDown");
    await hand.key(row % 2 === 0 ? "ArrowRight" : "ArrowLeft");
    if (row % 2 === 1) await hand.key("ArrowLeft");
  }
}

/** From the first page to the result, where Wild was chosen. */
async function jump(page: Page, hand: Hand): Promise<void> {
  await hand.press(page.getByRole("tab", { name: "Logic" }));
  await hand.press(page.getByRole("button", { name: "Add a jump" }));
  await page.locator('[data-field="jump_rules.0.source_page_key"]:focus').waitFor();
  await hand.choose(page.getByLabel("From", { exact: true }), "1. Page 1");
  await hand.choose(page.getByLabel("To", { exact: true }), `${questions + 1}. For you`);
  await hand.press(page.getByRole("button", { name: "Add a condition" }));
  await hand.press(page.getByRole("checkbox", { name: "Wild" }));
  await hand.press(page.getByRole("checkbox", { name: "Calm" }));
}

/** What each answers, question by question, and what the result shows to who finishes. */
interface Shopper {
  answers: readonly Answer[];
  shown: string | null;
}

const shoppers: readonly Shopper[] = [
  // the jump leads past all other questions
  { answers: ["Wild"], shown: "Wild cream" },
  { answers: Array<Answer>(questions).fill("Calm"), shown: "Calm cream" },
  { answers: ["Calm", ...Array<Answer>(questions - 1).fill("Wild")], shown: "Wild cream" },
  // leaves on the fourth page
  { answers: ["Calm", "Calm", "Wild"], shown: null },
];

/** on which pages they were, by number: behind the last question comes the result */
function seenPages({ answers: given }: Shopper): number[] {
  const asked = given.map((_, at) => at);
  return given[0] === "Wild" ? [0, questions] : [...asked, asked.length];
}

const finishers = shoppers.filter(({ shown }) => shown !== null);
const reached = (at: number): number => shoppers.filter((one) => seenPages(one).includes(at)).length;
const left = (at: number): number =>
  shoppers.filter((one) => one.shown === null && seenPages(one).at(-1) === at).length;
const chose = (at: number, answer: Answer, of = shoppers): number =>
  of.filter(({ answers: given }) => given[at] === answer).length;
const shownTo = (title: string): number => shoppers.filter(({ shown }) => shown === title).length;

const toldBy = (rows: readonly Body[], key: string) => Object.fromEntries(rows.map((row) => [row[key], toldRow(row)]));

/** A shop and its editor Mira for the tests of one `describe`. */
export class HandMadeQuizzes {
  t!: DashboardApp;
  store!: TestStore;
  mira!: Browser;

  constructor() {
    beforeAll(async () => {
      this.t = await openDashboardApp();
      this.store = await this.t.store({ plan: "enterprise" });
      // a bucket that never fills: limits are tested elsewhere
      await this.t.update(this.store, { limits: { capacity: 1_000_000 } });
      this.mira = await signedIn(this.t, "mira@example.com", { store: this.store, role: "editor" });
      const offered = creams.map((title, n) => ({
        id: n + 1,
        title,
        variants: [{ id: n + 1, price: "5.00" }],
      }));
      const { database, calendar } = this.t;
      await database.transaction((tx) => putProducts(tx.forStore(this.store.uuid), offered, calendar.now()));
    });
    afterAll(() => this.t.close());
  }

  /** Each takes it on the quiz's own page, in a browser of their own. */
  async #take(quizId: string, { answers: given, shown }: Shopper): Promise<DashboardPage> {
    const opened = await openDashboard(this.t);
    const { page } = opened;
    await page.goto(`${this.t.url}/q/${this.store.publishableKey}/${quizId}`);
    for (const [at, answer] of given.entries()) {
      await page.getByRole("heading", { name: `Page ${at + 1}`, exact: true }).waitFor();
      await pick(page.locator("body"), answer);
    }
    const next = shown ?? `Page ${given.length + 1}`;
    await page.getByText(next, { exact: true }).first().waitFor();
    const seen = (await page.getByText(/(Calm|Wild) cream/).allTextContents()).map((text) => text.trim());
    expect([...new Set(seen)]).toEqual(shown === null ? [] : [shown]);
    // whoever goes elsewhere sends what was not sent yet
    await page.goto("about:blank");
    return opened;
  }

  /**
   * What a page sends as it goes arrives after it. Figures are not asked meanwhile: an answer is kept for a time, and the time
   * of tests stands, so that one without the last shopper would be the answer for ever.
   */
  async #allArrived(quizId: string): Promise<void> {
    const db = this.t.database.reader().forStore(this.store.uuid);
    const ends = async () => {
      const rows = await db.all(
        sql<{ status: string; shown: { product_id: string }[] }>`
          SELECT status, state->'shown' AS shown FROM sessions
          WHERE store_id = ${ownStore} AND quiz_id = ${parseId("quiz", quizId)}`,
      );
      return rows.map(({ status, shown }) => [status, ...shown.map(({ product_id }) => product_id)].join(" ")).sort();
    };
    const wanted = shoppers
      .map(({ shown }) => (shown === null ? "left" : `completed gid://shopify/Product/${creams.indexOf(shown) + 1}`))
      .sort();
    await expect.poll(ends, { timeout: 20_000 }).toEqual(wanted);
  }

  async #expectFigures(on: DashboardPage, quizId: string): Promise<void> {
    await this.#allArrived(quizId);
    const lastAsked = watchQuestions(on.page);
    const today = new Date(this.t.calendar.now()).toISOString().slice(0, 10);
    const show = (tab: string, more = "") => on.open(`/quizzes/${quizId}?tab=${tab}&from=${today}&to=${today}${more}`);
    const answerOf = async (end: string): Promise<Body> =>
      (await this.t.request("GET", lastAsked(end), { key: this.store.key })).body;
    const tableOf = async (figure: string) => {
      await on.page.locator(`[data-figure="${figure}"]`).getByRole("button", { name: "As a table" }).click();
      return readRows(on.page, `[data-figure="${figure}"]`);
    };

    const began = shoppers.length;
    const whole = { views: began, not_started: 0, starts: began, completions: finishers.length, in_progress: 0 };
    await show("funnel");
    expect(await readStats(on.page, "funnel-whole")).toEqual(toldRow(whole));
    const pages = await tableOf("funnel-pages");
    expect(pages).toEqual(toldBy((await answerOf("/funnel")).pages, "page_key"));
    expect(
      Object.values(pages).map(({ title, sessions_reached, sessions_dropped }) => [
        title,
        sessions_reached,
        sessions_dropped,
      ]),
    ).toEqual(
      Array.from({ length: questions + 1 }, (_, at) => [
        at < questions ? `Page ${at + 1}` : "For you",
        String(reached(at)),
        String(left(at)),
      ]),
    );

    await show("overview");
    const { totals } = await answerOf("/overview");
    const shown = { ...(await readStats(on.page, "totals")), ...(await readStats(on.page, "more-totals")) };
    expect(shown).toEqual(toldRow(totals));
    expect(shown).toMatchObject({ views: String(began), starts: String(began), completions: String(finishers.length) });

    for (const at of [0, 2, questions - 1]) {
      await show("answers", `&component_key=choice_${at + 1}`);
      const answer = await answerOf("/answers");
      expect(answer.question).toMatchObject({ question: `Question ${at + 1}?` });
      const chosen = Object.values(await tableOf("answers"));
      expect(chosen.map((row) => [row["label"], row["chose"], row["completed"]])).toEqual(
        answers.map((label) => [label, String(chose(at, label)), String(chose(at, label, finishers))]),
      );
      expect(chosen.map((row) => row["chose"])).toEqual(answer.options.map((one: Body) => String(one.chose)));
    }

    await show("products");
    const products = await tableOf("products");
    const timesShown = creams.map((title) => [title, String(shownTo(title))]);
    expect(Object.values(products).map((row) => [row["title"], row["times_shown"]])).toEqual(timesShown);
    expect((await answerOf("/products")).rows.map((row: Body) => [row.title, String(row.times_shown)])).toEqual(
      timesShown,
    );
  }

  /** Makes the quiz, has it taken, and compares the figures. */
  async goFromNothingToFigures(how: "mouse" | "keyboard"): Promise<void> {
    const on = await openDashboard(this.t, this.mira);
    await on.open("/quizzes/new");
    const hand = how === "mouse" ? mouse(on.page) : keyboard(on.page);
    const begun = performance.now();
    const points = await build(on, hand);
    const seconds = Math.round((performance.now() - begun) / 1_000);
    process.stdout.write(
      `by ${how}: ${hand.presses} presses, ${hand.keys} characters and keys in fields, ${seconds} s; of these two results and ${2 * questions} points: ${points.presses} presses, ${points.keys} keys\n`,
    );
    const quizId = /quiz_[0-9a-f]{32}/.exec(on.page.url())?.[0] ?? "";
    const took: DashboardPage[] = [];
    for (const shopper of shoppers) took.push(await this.#take(quizId, shopper));
    await this.#expectFigures(on, quizId);
    for (const shopper of took) await shopper.close();
    expect(on.faults).toEqual([]);
    await on.close();
    if (how === "mouse") expect(hand.presses).toBeLessThanOrEqual(60);
  }
}
