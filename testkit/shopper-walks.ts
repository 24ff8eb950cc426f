import fc from "fast-check";
import type { ShopperEvent } from "../contract/storefront.ts";
import { normaliseAnswer, type RawAnswer } from "../engine/answers.ts";
import type { QuestionComponent } from "../engine/document.ts";
import { isQuestion } from "../engine/kinds/value.ts";
import type { Quiz } from "../engine/quiz.ts";
import { createRun } from "../player/run/create-run.ts";
import type { NewEvent, Notice, Run, RunView } from "../player/run/types.ts";
import type { SessionState } from "../server/sessions/state.ts";
import { answerTo, eventId, historyStart, type TimedEvent, weighted } from "./histories.ts";

/** A shopper who takes a quiz with the player's run, and a record of everything that the player showed. */

/** A shopper's action; `pick` chooses among the possibilities. */
export interface ShopperAction {
  kind: (typeof actions)[number]["value"];
  pick: number;
}

const actions = [
  { weight: 40, value: "answer" },
  { weight: 30, value: "next" },
  { weight: 10, value: "back" },
  { weight: 5, value: "skip" },
  { weight: 4, value: "clear" },
  { weight: 3, value: "mistype" },
  { weight: 3, value: "tick" },
  { weight: 4, value: "reload" },
  { weight: 2, value: "add" },
  { weight: 2, value: "close" },
  { weight: 1, value: "idle" },
  { weight: 1, value: "restart" },
] as const;

export const arbitraryActions = (maxLength: number): fc.Arbitrary<ShopperAction[]> =>
  fc.array(
    fc.record({
      kind: weighted(actions),
      pick: fc.nat(1_000_000),
    }),
    { maxLength, size: "max" },
  );

/** The events of one session, and what the shopper saw of it. */
export interface WalkedSession {
  events: TimedEvent[];
  /** keys of the pages shown, in order; null: the session began in the middle of a run */
  pages: string[] | null;
  /** products as JSON of block, product, variant and position */
  products: Set<string>;
  added: { product_id: string; variant_id: string | null; quantity: number }[];
  /** 30 idle minutes passed after the finish: the server no longer accepts Back and Skip */
  isLate: boolean;
  /** page of the finish that counts, according to the player */
  finished: string | null;
  view: RunView;
}

export class WalkingShopper {
  readonly sessions: WalkedSession[] = [];
  readonly #quiz: Quiz;
  #run: Run;
  #now = historyStart;
  #isIdle = false;
  #made = 0;

  constructor(quiz: Quiz) {
    this.#quiz = quiz;
    this.#run = this.#begin();
  }

  get run(): Run {
    return this.#run;
  }

  do({ kind, pick }: ShopperAction): void {
    this.#now += 1 + (pick % 60_000);
    const { page, products } = this.#run.view;
    if (page === null) return;
    const questions = page.components.filter(isQuestion);
    const question = questions[pick % Math.max(1, questions.length)];
    const shown = [...products.values()].flat();
    const product = shown[pick % Math.max(1, shown.length)];
    if (kind === "next") this.#run.next();
    else if (kind === "back") this.#run.back();
    else if (kind === "skip") this.#run.skip();
    else if (kind === "close") this.#run.close();
    else if (kind === "reload") this.#reload();
    else if (kind === "restart") this.#restart();
    else if (kind === "idle") this.#idle();
    else if (kind === "add") {
      if (product !== undefined) this.#run.addProduct(product.product_id, product.variant_id, 1 + (pick % 3));
    } else if (question !== undefined) this.#answer(question, kind, pick);
  }

  #answer(component: QuestionComponent, kind: "answer" | "clear" | "mistype" | "tick", pick: number): void {
    const { component_key } = component;
    const known = this.#run.view.answers.get(component_key);
    const consent = [true, false, null, undefined][pick % 4];
    const raw: Record<typeof kind, RawAnswer> = {
      answer: answerTo(component, pick),
      clear: pick % 2 === 0 ? { option_ids: [], value: null } : { value: [] },
      mistype: pick % 2 === 0 ? { option_ids: ["nobody's"] } : { value: "\u0000" },
      tick: known === undefined ? { value: null } : { ...known },
    };
    const before = this.#run.view.answers.get(component_key);
    const verdict = this.#run.answer(component_key, raw[kind], consent);
    const checked = normaliseAnswer(component, raw[kind]);
    if ((verdict === "ok") !== checked.ok) throw new Error(`${verdict} for ${JSON.stringify(raw[kind])}`);
    const after = this.#run.view.answers.get(component_key);
    const expected = checked.ok ? (checked.value ?? undefined) : before;
    if (JSON.stringify(after) !== JSON.stringify(expected)) throw new Error("an answer is shown otherwise than given");
  }

  /** Reloads the page: the shopper must see the same as before. */
  #reload(): void {
    if (this.#isIdle) return void this.#begin();
    const before = this.#run.view;
    this.#run = createRun(this.#quiz, JSON.parse(JSON.stringify(this.#run.saved)));
    this.#follow();
    this.#run.start();
    const after = this.#run.view;
    const told = (view: RunView) =>
      JSON.stringify([{ ...view }, ...[view.answers, view.products].map((map) => [...map])]);
    if (told(before) !== told(after)) throw new Error("a reload shows something else");
  }

  #idle(): void {
    this.#now += 31 * 60_000;
    this.#isIdle = true;
    this.#session.isLate = this.#run.view.finished;
  }

  #restart(): void {
    this.#run.restart(`sess_${"1".repeat(32)}`);
    this.#run = this.#begin();
  }

  #begin(): Run {
    this.#run = createRun(this.#quiz, null);
    this.#isIdle = false;
    this.#open([]);
    this.#follow();
    this.#run.start();
    return this.#run;
  }

  #open(pages: string[] | null): void {
    const { view } = this.#run;
    this.sessions.push({ events: [], pages, products: new Set(), added: [], isLate: false, finished: null, view });
  }

  get #session(): WalkedSession {
    const session = this.sessions.at(-1);
    if (session === undefined) throw new Error("no session");
    return session;
  }

  #follow(): void {
    const run = this.#run;
    run.onAct(() => {
      if (!this.#isIdle || run.view.finished) return;
      this.#isIdle = false;
      this.#open(null);
      run.replay();
    });
    run.onEvent((event) => this.#keep(event));
    run.onView((view) => this.#see(view));
    run.on((notice) => this.#note(notice));
  }

  #keep(event: NewEvent): void {
    const { events } = this.#session;
    const time = this.#now;
    const id = eventId(this.#made++);
    events.push({ ...event, id, seq: events.length, at: new Date(time).toISOString(), time } as ShopperEvent &
      TimedEvent);
  }

  #see(view: RunView): void {
    const session = this.#session;
    session.view = view;
    for (const [block, products] of view.products) {
      for (const { product_id, variant_id, position } of products) {
        const key = JSON.stringify([block, product_id, variant_id]);
        if (![...session.products].some((known) => known.startsWith(key))) session.products.add(`${key}${position}`);
      }
    }
  }

  #note(notice: Notice): void {
    const session = this.#session;
    if (notice.type === "page") session.pages?.push(notice.page_key);
    else if (notice.type === "finished") session.finished = notice.page_key;
    else if (notice.type === "product-added") {
      const { type: _type, ...added } = notice;
      session.added.push(added);
    }
  }
}

/** What the player showed of a session, in the same form as `serverSaw`. */
export function playerShowed(quiz: Quiz, session: WalkedSession) {
  const { pages, products, added, finished, view, events, isLate } = session;
  const { answers, consents, page, winner, points } = view;
  const until = events.findIndex((event) => event.type === "quiz_finished" && event.page_key === finished);
  const counted = pages?.slice(0, events.slice(0, until < 0 ? events.length : until).filter(isArrival).length);
  const given = [...quiz.questions].flatMap(([key, { component }]) => {
    const answer = answers.get(key);
    const hasBox = (component.kind === "email" || component.kind === "phone") && component.consent !== null;
    return answer === undefined ? [] : [{ key, answer, consent: hasBox ? consents.get(key) === true : null }];
  });
  return {
    page: isLate ? undefined : (page?.page_key ?? null),
    visits: counted && Object.fromEntries([...new Set(counted)].map((key) => [key, times(counted, key)])),
    answers: given,
    winner: winner?.dimension_id ?? null,
    points,
    // a hidden one is not shown, but computed
    formulas: [...view.formulas].filter(([key]) => key !== ""),
    products: [...products].sort(),
    added,
    finished,
  };
}

const isArrival = ({ type }: { type: string }): boolean => type === "page_entered";
const times = (keys: readonly string[], key: string): number => keys.filter((one) => one === key).length;

/** The server's result of a session's events. */
export function serverSaw(state: SessionState, { pages, view, isLate }: WalkedSession) {
  const { winner, points, formulas } = state.outcome;
  return {
    page: isLate ? undefined : state.last_page_key,
    visits:
      pages === null ? undefined : Object.fromEntries(state.visits.map((visit) => [visit.page_key, visit.entries])),
    answers: state.answers.map(({ component_key: key, consent, ...answer }) => ({
      key,
      answer: "option_ids" in answer ? { option_ids: answer.option_ids } : { value: answer.value },
      consent,
    })),
    winner: winner?.dimension_id ?? null,
    points: Object.fromEntries(points.map(({ dimension_id, total }) => [dimension_id, total])),
    formulas: formulas
      .filter(({ page_key, component_key }) => page_key === view.page?.page_key && view.formulas.has(component_key))
      .map(({ component_key, value }) => [component_key, value]),
    products: state.shown
      .map((one) => `${JSON.stringify([one.block_key, one.product_id, one.variant_id])}${one.position}`)
      .sort(),
    added: state.added.map(({ product_id, variant_id, quantity }) => ({ product_id, variant_id, quantity })),
    finished: state.terminal_page_key,
  };
}
