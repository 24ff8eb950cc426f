import type { EnterCause } from "../../contract/storefront.ts";
import type { RawAnswer } from "../../engine/answers.ts";
import type { AnswerValue, Page, PickedProducts } from "../../engine/document.ts";
import { type MissingAnswer, missingAmong } from "../../engine/missing.ts";
import { finishPages, firstStep, stepFrom } from "../../engine/path.ts";
import type { PlacedBlock, PlacedQuestion, Quiz } from "../../engine/quiz.ts";
import { answerOf } from "../../engine/quiz.ts";
import { type Visibility, visibility } from "../../engine/visibility.ts";
import { toJson } from "../json.ts";
import { answerEvent, arrivalEvent, type Way } from "./events.ts";
import { wayOf } from "./replay.ts";
import { type RunState, runStateOf, savedOf } from "./run-state.ts";
import type { NewEvent, Notice, Run, RunView, SavedRun } from "./types.ts";
import { backTarget, viewOf } from "./view-of.ts";

/**
 * @param saved the state of an earlier run of the same version
 * @param sells false for a product that the shop does not have: it is neither shown nor reported
 */
export function createRun(quiz: Quiz, saved: SavedRun | null, sells?: (product_id: string) => boolean): Run {
  return new QuizRun(sells ? withProducts(quiz, sells) : quiz, saved);
}

/**
 * Removes them before the engine picks, so that a block's limit is filled with products that can be shown
 * [player.products-sold].
 */
function withProducts(quiz: Quiz, sells: (product_id: string) => boolean): Quiz {
  // a run with rules is made without this function (follow-rules.tsx)
  const blocks = Array.from(quiz.blocks as ReadonlyMap<string, PickedBlock>, ([key, { block, placed }]) => {
    const products = block.products.filter(({ product_id }) => sells(product_id));
    return [key, { block: { ...block, products }, placed }] as const;
  });
  return { ...quiz, blocks: new Map(blocks) };
}

type PickedBlock = PlacedBlock & { block: PickedProducts };

type Listener<Value> = (value: Value) => void;

function heard<Told>(by: Set<Listener<Told>>, hear: Listener<Told>): () => void {
  by.add(hear);
  return () => void by.delete(hear);
}

class QuizRun implements Run {
  readonly #quiz: Quiz;
  readonly #state: RunState;
  #seen: Visibility;
  #view: RunView;
  /** the current step's events, in order; emitted once it is complete */
  #events: NewEvent[] = [];
  #notices: Notice[] = [];
  /** the cause of the arrival in the current step */
  #cause: EnterCause | null = null;
  readonly #actListeners = new Set<Listener<void>>();
  readonly #eventListeners = new Set<Listener<NewEvent>>();
  readonly #viewListeners = new Set<Listener<RunView>>();
  readonly #noticeListeners = new Set<Listener<Notice>>();

  constructor(quiz: Quiz, saved: SavedRun | null) {
    this.#quiz = quiz;
    this.#state = runStateOf(saved);
    this.#seen = visibility(quiz, this.#state.answers);
    this.#view = viewOf(quiz, this.#state, this.#seen);
  }

  get view(): RunView {
    return this.#view;
  }

  get saved(): SavedRun {
    return savedOf(this.#state);
  }

  onAct = (hear: Listener<void>) => heard(this.#actListeners, hear);
  onEvent = (hear: Listener<NewEvent>) => heard(this.#eventListeners, hear);
  onView = (hear: Listener<RunView>) => heard(this.#viewListeners, hear);
  on = (hear: Listener<Notice>) => heard(this.#noticeListeners, hear);

  start(): void {
    if (this.#state.page_key !== null) return;
    const step = firstStep(this.#quiz, this.#state.answers);
    this.#events.push({ type: "quiz_opened" });
    if (step.kind === "page") this.#enter(step, "start");
    this.completeStep();
  }

  answer(component_key: string, raw: RawAnswer, consent?: boolean | null): "ok" | "invalid_value" | "unknown_option" {
    const { entered, answers, consents } = this.#state;
    const question = this.#quiz.questions.get(component_key);
    // An answer on a page that was not entered would count as entering it.
    if (question === undefined || !entered.has(question.placed.page.page_key)) return "invalid_value";
    const checked = answerOf(this.#quiz, question.component, raw);
    if (!checked.ok) return checked.reason;
    const ticked = consents.get(component_key) ?? null;
    const isSame = toJson(checked.value) === toJson(answers.get(component_key) ?? null);
    const box = consent === undefined ? ticked : consent;
    if (isSame && box === ticked) return "ok";
    this.#act();
    if (box !== ticked) this.#state.consents = new Map([...consents, [component_key, box]]);
    // The consent box of an empty field is reported only with the field.
    if (!isSame || checked.value !== null) this.#answered(question, checked.value, box);
    this.completeStep();
    return "ok";
  }

  next(): readonly MissingAnswer[] {
    const { page } = this.#view;
    if (page === null) return [];
    const { page_key } = page;
    const missing = missingAmong(this.#quiz, this.#seen, [page_key], this.#state.consents);
    if (missing.length > 0) return missing;
    this.#act();
    const step = stepFrom(this.#quiz, page_key, this.#seen);
    if (step.kind === "page") this.#enter(step, step.cause);
    else if (page.kind !== "result") {
      this.#state.ended = true;
      this.#reportFinish(page_key);
    }
    this.completeStep();
    return [];
  }

  skip(): void {
    const { page, canSkip } = this.#view;
    if (page === null || !canSkip) return;
    this.#act();
    const step = stepFrom(this.#quiz, page.page_key, this.#seen);
    this.#state.skipped.add(page.page_key);
    if (step.kind === "page") this.#enter(step, "skip");
    this.completeStep();
  }

  back(): void {
    if (this.#state.ended) this.#state.ended = false;
    else if (!this.#goBack()) return;
    this.completeStep();
  }

  addProduct(product_id: string, variant_id: string | null, quantity: number): void {
    this.#act();
    this.#state.added = new Set(this.#state.added).add(product_id);
    this.#events.push({ type: "product_added", product_id, variant_id, quantity });
    this.#notices.push({ type: "product-added", product_id, variant_id, quantity });
    this.completeStep();
  }

  close(): void {
    if (this.#state.closed || this.#view.page === null) return;
    this.#events.push({ type: "quiz_closed" });
    this.completeStep();
  }

  restart(next_session_id: string): void {
    this.#events.push({ type: "quiz_restarted", next_session_id });
    this.completeStep();
  }

  replay(): void {
    const { events, entered, skipped } = wayOf(this.#quiz, this.#state, this.#seen);
    this.#events.push(...events);
    Object.assign(this.#state, { entered, skipped, shown: new Map(), finishes: new Set(), ended: false });
    this.completeStep();
  }

  /** Goes back a page; false if there is none. */
  #goBack(): boolean {
    const { trail } = this.#state;
    const target = backTarget(trail, this.#seen);
    const page_key = trail[target];
    if (page_key === undefined) return false;
    this.#act();
    trail.length = target;
    this.#enter({ page_key, jump_rule_key: null, hidden_page_keys: [] }, "back");
    return true;
  }

  #act(): void {
    for (const hear of this.#actListeners) hear();
  }

  #answered({ component, placed }: PlacedQuestion, answer: AnswerValue | null, box: boolean | null): void {
    const { component_key } = component;
    const { page_key } = placed.page;
    const answers = new Map(this.#state.answers);
    if (answer === null) answers.delete(component_key);
    else answers.set(component_key, answer);
    this.#state.answers = answers;
    this.#state.ended = false;
    this.#events.push(answerEvent(page_key, component, answer, box));
    this.#notices.push({ type: "answered", page_key, component_key, answer });
  }

  #enter(step: Way, cause: EnterCause): void {
    const state = this.#state;
    const { page_key } = step;
    if (state.page_key !== null && cause !== "back") state.trail.push(state.page_key);
    state.page_key = page_key;
    state.entered.add(page_key);
    state.ended = false;
    this.#events.push(arrivalEvent(step, cause));
    this.#cause = cause;
  }

  /** Completes a step with its consequences, and notifies the listeners. */
  completeStep(): void {
    const state = this.#state;
    this.#seen = visibility(this.#quiz, state.answers);
    const view = viewOf(this.#quiz, state, this.#seen);
    const { page } = view;
    if (page !== null) this.#reportProducts(page.page_key, view.products);
    if (page?.kind === "result") this.#reportFinish(page.page_key);
    if (page !== null && this.#cause !== null) this.#arrived(page, view, this.#cause);
    this.#cause = null;
    const finish = state.finished ? undefined : this.#finishThatCounts();
    if (finish !== undefined) {
      state.finished = true;
      this.#notices.push({ type: "finished", page_key: finish });
    }
    this.#view = { ...view, progress: state.progress, finished: state.finished };
    this.#emit();
  }

  #arrived(page: Page, { position, of, winner, points, products }: RunView, cause: EnterCause): void {
    const { page_key } = page;
    const { progress } = this.#state;
    const share = position / of;
    this.#state.progress = cause === "back" ? Math.min(progress, share) : Math.max(progress, share);
    this.#notices.push({ type: "page", page_key, position, of });
    if (page.kind !== "result") return;
    this.#notices.push({
      type: "result",
      page_key,
      winner,
      points,
      products: [...products.values()].flat(),
      outcome: { page_key, dimension_id: null, name: page.title, ...page.outcome },
    });
  }

  #emit(): void {
    const events = this.#events.splice(0);
    const notices = this.#notices.splice(0);
    const last = events.at(-1);
    if (last) this.#state.closed = last.type === "quiz_closed";
    for (const event of events) for (const hear of this.#eventListeners) hear(event);
    for (const hear of this.#viewListeners) hear(this.#view);
    for (const notice of notices) for (const hear of this.#noticeListeners) hear(notice);
  }

  /** Reports a block's products when they are first shown, or differ from those reported [player.products-shown]. */
  #reportProducts(page_key: string, blocks: RunView["products"]): void {
    const { shown } = this.#state;
    for (const [block_key, products] of blocks) {
      const json = toJson(products);
      if (products.length === 0 || shown.get(block_key) === json) continue;
      shown.set(block_key, json);
      this.#events.push({ type: "products_shown", page_key, block_key, products: [...products] });
    }
  }

  /** Reports a page's finish once, because only the first can count [player.finish]. */
  #reportFinish(page_key: string): void {
    const { finished, finishes } = this.#state;
    if (finished || finishes.has(page_key)) return;
    finishes.add(page_key);
    this.#events.push({ type: "quiz_finished", page_key });
  }

  /**
   * The first reported finish whose conditions are met. They are the same as the server's, which decides
   * [player.finish-waits].
   */
  #finishThatCounts(): string | undefined {
    const { answers, entered, skipped, finishes } = this.#state;
    const open = [...entered].filter((page_key) => !skipped.has(page_key));
    if (finishes.size === 0 || answers.size === 0) return undefined;
    if (missingAmong(this.#quiz, this.#seen, open).length > 0) return undefined;
    return [...finishes].find(finishPages(this.#quiz, this.#seen));
  }
}
