import fc from "fast-check";
import type { Locator, Page } from "playwright-core";
import { createRandom, type Random } from "../demo/random.ts";
import type { Component, ProductPick, QuestionComponent, QuizDocument } from "../engine/document.ts";
import { isQuestion } from "../engine/kinds/value.ts";
import { type EmbeddedPage, type EmbeddedShop, type Told, toldBefore } from "./browser-quiz.ts";
import { type DrawnPage, readDrawn } from "./browser-walk-page.ts";
import { postWebhook } from "./commerce.ts";
import { arbitraryDocument } from "./documents.ts";
import { makeQuiz } from "./quizzes.ts";

/** A shopper who does anything that the screen offers, and notes what they see: only what is drawn. */

/** What was drawn while a session ran. */
export interface Walked {
  sessionId: string;
  /** page keys, in order of appearance */
  pages: string[];
  /** by component_key: options, or the field's contents */
  answers: Map<string, string | string[]>;
  consents: Map<string, boolean>;
  /** `block product variant`, in order of appearance */
  products: Set<string>;
  /** `product variant` */
  added: string[];
  /** by component_key, of the page shown last */
  formulas: Map<string, string>;
}

export interface Walk {
  document: QuizDocument;
  sessions: Walked[];
  told: Told[];
  actions: string[];
  faults: string[];
}

const products = [1, 2, 3, 4];
const productId = (number: number) => `gid://shopify/Product/${number}`;
const productOf = (title: string) => productId(Number(title.slice("Product ".length)));
/** Each product has its own variants; a document names the second, so that it differs from the default. */
const namedVariant = (product_id: string) => `gid://shopify/ProductVariant/${product_id.split("/").at(-1)}2`;
const firstVariant = (product_id: string) => `gid://shopify/ProductVariant/${product_id.split("/").at(-1)}1`;

export async function fillCatalog(shop: EmbeddedShop): Promise<void> {
  const times = { created_at: "2026-03-01T10:00:00Z", updated_at: "2026-03-01T10:00:00Z" };
  for (const id of products) {
    const variants = [1, 2].map((at) => ({
      id: id * 10 + at,
      title: at === 1 ? "First" : "Named",
      price: "9.00",
      position: at,
    }));
    const payload = { id, title: `Product ${id}`, handle: `p${id}`, status: "active", ...times, variants };
    const answer = await postWebhook(shop.t, shop.store, { topic: "products/create", payload });
    if (answer.status !== 200) throw new Error(`the catalog was refused: ${answer.text}`);
  }
}

const component = (part: Component): Component => {
  if (part.kind !== "products" || part.source === "rules") return part;
  const own = (pick: ProductPick) => ({ ...pick, variant_id: pick.variant_id && namedVariant(pick.product_id) });
  return { ...part, products: part.products.map(own) };
};

/** A document whose pages can be told apart by what is drawn. */
function documentOf(seed: number, random: Random): QuizDocument {
  const [made] = fc.sample(
    arbitraryDocument().filter(({ pages }) => pages.length > 1),
    { seed, numRuns: 1 },
  );
  if (made === undefined) throw new Error("no document");
  const advance = random.pick(["auto", "button"] as const);
  const pages = made.pages.map(({ headline: _none, ...one }, index) => {
    return { ...one, title: `Page ${index + 1}`, components: one.components.map(component) };
  });
  return { ...made, pages, presentation: { advance } };
}

const titleOf = (document: QuizDocument, title: string): string | null =>
  document.pages.find((one) => one.title === title)?.page_key ?? null;

class Walker {
  readonly #opened: EmbeddedPage;
  readonly #page: Page;
  readonly #random: Random;
  readonly walk: Walk;
  #drawn: DrawnPage | null = null;
  #at: string | null = null;
  /**
   * whether the last action typed into a field that still has the focus: it is not an answer yet, and formulas are
   * drawn without it
   */
  #isTyping = false;

  constructor(opened: EmbeddedPage, document: QuizDocument, random: Random) {
    this.#opened = opened;
    this.#page = opened.page;
    this.#random = random;
    this.walk = { document, sessions: [], told: [], actions: [], faults: opened.faults };
  }

  get #session(): Walked {
    const last = this.walk.sessions.at(-1);
    if (last === undefined) throw new Error("no session was begun");
    return last;
  }

  get #questions(): QuestionComponent[] {
    const here = this.walk.document.pages.find(({ page_key }) => page_key === this.#at);
    return here?.components.filter(isQuestion) ?? [];
  }

  /** Notes what is drawn; `turns`: false if the same page is only redrawn. */
  async look(turns = true): Promise<void> {
    const drawn = await readDrawn(this.#page);
    const session = await this.#sessionId();
    if (session !== null && session !== this.walk.sessions.at(-1)?.sessionId) {
      const none = { pages: [], added: [], answers: new Map(), consents: new Map(), formulas: new Map() };
      this.walk.sessions.push({ sessionId: session, products: new Set(), ...none });
      this.#at = null;
      this.#drawn = null;
    }
    const key = titleOf(this.walk.document, drawn.title);
    const isAnew = drawn.mark !== this.#drawn?.mark;
    // a page that says that the quiz is over, and is left by Back, covers the last page
    const wasClosing = this.#drawn !== null && titleOf(this.walk.document, this.#drawn.title) === null;
    this.#drawn = drawn;
    if (key === null || session === null) return;
    if (turns && isAnew && !wasClosing) this.#session.pages.push(key);
    this.#at = key;
    this.#note(drawn);
  }

  #note(drawn: DrawnPage): void {
    const { answers, consents, products: shown, formulas } = this.#session;
    for (const question of this.#questions) {
      const { component_key } = question;
      const own = drawn.fields.filter(({ name }) => name === component_key);
      const isChoice = question.kind === "choice" || question.kind === "image";
      if (isChoice)
        answers.set(
          component_key,
          own.filter(({ checked }) => checked).map(({ value }) => value),
        );
      else answers.set(component_key, own[0]?.value ?? "");
      const box = drawn.fields.find(({ name }) => name === `${component_key}-consent`);
      if (box) consents.set(component_key, box.checked);
    }
    const here = this.walk.document.pages.find(({ page_key }) => page_key === this.#at);
    for (const part of here?.components ?? []) {
      if (part.kind !== "products") continue;
      for (const { title, variant } of drawn.cards) {
        const product_id = productOf(title);
        shown.add(`${part.block_key} ${product_id} ${variant === "Named" ? namedVariant(product_id) : null}`);
      }
    }
    formulas.clear();
    const known = here?.components.filter(({ kind }) => kind === "formula") ?? [];
    if (drawn.facts.length === 1 && known.length === 1 && known[0]?.kind === "formula") {
      formulas.set(known[0].component_key, drawn.facts[0] ?? "");
    }
  }

  async #sessionId(): Promise<string | null> {
    const told = await this.#opened.told();
    return told.findLast(({ detail }) => detail.session_id !== null)?.detail.session_id ?? null;
  }

  /** Performs one of the actions that the screen offers. */
  async act(): Promise<void> {
    const drawn = this.#drawn;
    if (drawn === null) return;
    const actions: [number, string, () => Promise<void>][] = [
      [1, "reload", () => this.#reload()],
      ...(drawn.fields.length > 0 ? [[8, "fill", () => this.#fill()] as [number, string, () => Promise<void>]] : []),
    ];
    const weights: Record<string, number> = { Back: 2, Skip: 1, "Take the quiz again": 0.7, "Start over": 0.5 };
    for (const [index, text] of drawn.buttons.entries()) {
      const weight = text.startsWith("Add") ? 2 : (weights[text] ?? 6);
      actions.push([weight, text, () => this.#press(index, text)]);
    }
    const [, name, action] = this.#random.weighted(actions, ([weight]) => weight);
    this.walk.actions.push(`${this.#at}: ${name}`);
    // the action turns it into an answer; if it ends the session, nobody sees the formulas' new values
    if (this.#isTyping) this.#session.formulas.clear();
    this.#isTyping = false;
    await action();
    if (name !== "reload") await this.look();
  }

  async #reload(): Promise<void> {
    const before = this.#drawn;
    await this.#page.reload();
    await this.#opened.heard("opened");
    this.walk.told.push(...(await toldBefore(this.#page)));
    await this.look(false);
    if (this.#drawn?.title !== before?.title) {
      throw new Error(`a reload led from ${before?.title} to ${this.#drawn?.title}`);
    }
    const stood = (drawn: DrawnPage | null) =>
      JSON.stringify(drawn?.fields.map(({ name, value, checked }) => [name, value, checked]));
    if (stood(before) !== stood(this.#drawn)) {
      throw new Error(`a reload changed ${stood(before)} to ${stood(this.#drawn)}`);
    }
  }

  async #press(index: number, text: string): Promise<void> {
    const button = this.#page.locator("quiz-store button").nth(index);
    const before = (await this.#opened.told()).filter(({ name }) => name === "product-added").length;
    if (this.#random.chance(0.3)) {
      await button.focus();
      await this.#page.keyboard.press(this.#random.pick(["Enter", "Space"]));
    } else await button.click();
    if (!text.startsWith("Add")) return;
    const all = this.#drawn?.cards ?? [];
    const own = all.filter((card) => card.button === index);
    // a button outside the cards adds those that were not added yet [player.add-all]
    const isAdded = ({ title }: { title: string }) =>
      this.#session.added.some((line) => line.startsWith(`${productOf(title)} `));
    const cards = own.length > 0 ? own : all.filter((card) => !isAdded(card));
    for (const { title, variant } of cards) {
      const product_id = productOf(title);
      this.#session.added.push(`${product_id} ${(variant === "Named" ? namedVariant : firstVariant)(product_id)}`);
    }
    await this.#opened.heard("product-added", before + cards.length);
  }

  async #fill(): Promise<void> {
    const fields = this.#drawn?.fields ?? [];
    const index = this.#random.int(0, fields.length - 1);
    const field = fields[index];
    if (field === undefined) return;
    const place = this.#page.locator("quiz-store").locator("input, textarea").nth(index);
    if (field.type === "radio" || field.type === "checkbox")
      await this.#choose(place, field.name, field.value, field.type);
    else await this.#type(place, field.name);
  }

  async #choose(place: Locator, name: string, value: string, type: string): Promise<void> {
    const way = this.#random.pick(["click", "click", "Space", type === "radio" ? "ArrowDown" : "Enter"]);
    this.walk.actions.push(`${this.#at}: ${name} ${value} by ${way}`);
    // a click may turn the page before the option is drawn as chosen
    if (type === "radio" && way !== "ArrowDown") this.#session.answers.set(name, [value]);
    if (way === "click") await place.locator("xpath=..").click();
    else {
      await place.focus();
      await this.#page.keyboard.press(way);
    }
  }

  async #type(place: Locator, name: string): Promise<void> {
    const question = this.#questions.find(({ component_key }) => component_key === name);
    if (question === undefined) return;
    const text = this.#random.chance(0.12) ? "" : this.#textFor(question);
    this.walk.actions.push(`${this.#at}: ${name} types ${JSON.stringify(text)}`);
    await place.fill(text);
    this.#isTyping = !this.#random.chance(0.5);
    if (!this.#isTyping) await this.#page.keyboard.press("Tab");
  }

  #textFor(question: QuestionComponent): string {
    const { int, pick } = this.#random;
    switch (question.kind) {
      case "number": {
        const { min, max, step } = question;
        const low = min === null ? Math.min(-10, max ?? 0) : 0;
        const most = max === null ? 40 : Math.floor((max - (min ?? 0)) / step + 1e-9);
        return String(Number(((min ?? 0) + int(Math.min(low, most), most) * step).toFixed(6)));
      }
      case "date": {
        const day = `20${int(10, 30)}-0${int(1, 9)}-1${int(0, 9)}`;
        return question.with_time ? `${day}T1${int(0, 9)}:3${int(0, 9)}` : day;
      }
      case "email":
        return pick(["ann@example.com", "bob@example.com", `x${int(1, 99)}@example.com`]);
      case "phone":
        return pick(["+12025550123", "+12025550124"]);
      default:
        return pick(["short", "ein längerer Text", "7", "🙂 smile"]);
    }
  }

  /**
   * Leaves the page: the contents of fields count even if they keep the focus. Whatever has not been sent is sent by
   * the shop's next page.
   */
  async leave(): Promise<void> {
    if (this.#isTyping && this.#random.chance(0.5)) {
      await this.#page.keyboard.press("Tab");
      await this.look();
    } else if (this.#isTyping) this.#session.formulas.clear();
    await this.#page.goto(new URL("/other", this.#page.url()).href);
    this.walk.told.push(...(await toldBefore(this.#page)));
    await this.#page.goBack();
    await this.#page.waitForFunction(() =>
      Object.entries(localStorage).every(([key, value]) => {
        return !/:sess_/.test(key) || JSON.parse(value).events.length === 0;
      }),
    );
  }
}

/** Performs some actions in a random document; the same seed does the same. */
export async function walkThrough(shop: EmbeddedShop, seed: number, actions: number): Promise<Walk> {
  const random = createRandom(seed);
  const document = documentOf(seed, random);
  const quiz = await makeQuiz(shop.t, shop.store, { document, publish: true, name: `Walk ${seed}` });
  shop.t.passTime(3_600_000);
  const head = '<script>(window.quizstore ||= []).push(["cart", async () => {}])</script>';
  const opened = await shop.open(shop.tag("", quiz.id), { head, pages: { "/other": "<!doctype html>Other" } });
  try {
    const walker = new Walker(opened, document, random);
    await opened.heard("opened");
    await walker.look();
    for (let action = 0; action < actions; action += 1) await walker.act();
    await walker.leave();
    return walker.walk;
  } finally {
    await opened.close();
  }
}
