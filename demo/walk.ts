import type { ShopperEvent } from "../contract/storefront.ts";
import { normaliseAnswer } from "../engine/answers.ts";
import type { AnswerValue, QuestionComponent } from "../engine/document.ts";
import { isContact, isQuestion } from "../engine/kinds/value.ts";
import { firstStep, isFinishPage, nextStep, type Step } from "../engine/path.ts";
import { productsToShow, type ShownProduct } from "../engine/products.ts";
import type { PlacedPage, Quiz } from "../engine/quiz.ts";
import type { Answering } from "./answering.ts";
import type { Persona } from "./personas.ts";
import { type Random, uuid } from "./random.ts";

/** How one visit through a quiz ended. */
export type Ending = "left" | "closed" | "finished" | "restarted";

export interface Walk {
  events: ShopperEvent[];
  ending: Ending;
  /** indexes into `events` before which the page was reloaded, so that the browser repeated its last batch */
  reloads: number[];
}

export interface WalkSettings {
  random: Random;
  quiz: Quiz;
  persona: Persona;
  answering: Answering;
  /** Unix milliseconds */
  opensAt: number;
  /** the session that a restart opens; null: this shopper never restarts */
  nextSessionId: string | null;
  /** whether a shopper may leave the tab open for more than 30 idle minutes, and come back [sessions.gap] */
  mayIdle: boolean;
}

interface Walker extends WalkSettings {
  at: number;
  events: ShopperEvent[];
  reloads: number[];
  answers: Map<string, AnswerValue>;
  shown: ShownProduct[];
  /** earlier pages, for the back button */
  trail: string[];
  lastAt: number;
  timedOut: boolean;
  restarted: boolean;
}

/** `emit` fills in the fields that all events share. */
type Without<T, Key extends PropertyKey> = T extends unknown ? Omit<T, Key> : never;
type NewEvent = Without<ShopperEvent, "id" | "seq" | "at">;

const second = 1000;
const minute = 60 * second;
/** A gap of this length times a session out [sessions.gap]. */
const idleLimit = 30 * minute;
/** Reserve before that limit, for the next click. */
const slack = minute;

/** Stays true after a gap that times the session out, including the current gap. */
const isTimedOut = ({ timedOut, lastAt, at }: Walker): boolean => timedOut || at - lastAt >= idleLimit - slack;

function emit(walker: Walker, event: NewEvent): void {
  const { events, random, at } = walker;
  walker.timedOut = isTimedOut(walker);
  walker.lastAt = at;
  events.push({
    id: `evt_${uuid(random)}`,
    seq: events.length,
    at: new Date(at).toISOString(),
    ...event,
  } as ShopperEvent);
}

/** Lets time pass: about `median` seconds, but never so long that the session times out. */
function wait(walker: Walker, median: number): void {
  walker.at += Math.min(slack - second, Math.round(walker.random.logNormal(median, 0.55) * second));
}

type Cause = "start" | "next" | "jump" | "skip" | "back" | "restart";

function enter(walker: Walker, step: Extract<Step, { kind: "page" }>, cause: Cause): PlacedPage | undefined {
  const { page_key, jump_rule_key, hidden_page_keys } = step;
  emit(walker, {
    type: "page_entered",
    page_key,
    cause,
    ...(cause === "jump" && jump_rule_key !== null && { jump_rule_key }),
    ...(hidden_page_keys.length > 0 && { hidden_page_keys }),
  });
  const placed = walker.quiz.pages.get(page_key);
  for (const component of placed?.page.components ?? []) {
    if (component.kind === "products" && component.source !== "rules") show(walker, page_key, component.block_key);
  }
  return placed;
}

function show(walker: Walker, page_key: string, block_key: string): void {
  const products = productsToShow(walker.quiz, block_key, walker.answers);
  if (products.length === 0) return;
  walker.at += walker.random.int(120, 900);
  walker.shown.push(...products);
  emit(walker, { type: "products_shown", page_key, block_key, products });
}

/** Seconds that a question of each kind takes, and the percentage of shoppers who leave at it. */
const demands: Readonly<Record<QuestionComponent["kind"], { seconds: number; leave: number }>> = {
  choice: { seconds: 5.5, leave: 2 },
  image: { seconds: 4.5, leave: 1.5 },
  number: { seconds: 5, leave: 3 },
  date: { seconds: 9, leave: 5 },
  text: { seconds: 19, leave: 6 },
  email: { seconds: 11, leave: 11 },
  phone: { seconds: 9, leave: 8 },
};

/** Whether the shopper leaves at something that `percent` of average shoppers leave at. */
const givesUp = (walker: Walker, percent: number): boolean =>
  walker.random.chance(((1.55 - walker.persona.patience) * percent) / 100);

function isAnswered(walker: Walker, component: QuestionComponent): boolean {
  const { random, persona } = walker;
  const contact = isContact(component);
  // Some people have no number; in a required field they still type something.
  if (!component.required && component.kind === "phone" && persona.phone === null) return false;
  const eager = contact ? persona.openness : 0.45 + persona.patience / 2;
  // Back on an earlier page, most people keep their answer.
  if (walker.answers.has(component.component_key)) return random.chance(0.3);
  return component.required || random.chance(eager);
}

/** Answers a page's questions; false if the shopper leaves before the end. */
function fill(walker: Walker, { page }: PlacedPage): boolean {
  const { page_key } = page;
  if (page.kind === "content") wait(walker, 4);
  for (const component of page.components.filter(isQuestion)) {
    if (givesUp(walker, demands[component.kind].leave)) return false;
    pause(walker);
    if (!isAnswered(walker, component)) {
      wait(walker, 1.5);
      continue;
    }
    for (const answer of walker.answering.answer(component, walker.persona, walker.random, walker.at)) {
      wait(walker, demands[component.kind].seconds);
      const checked = normaliseAnswer(component, answer);
      if (!checked.ok) continue;
      if (checked.value === null) walker.answers.delete(component.component_key);
      else walker.answers.set(component.component_key, checked.value);
      emit(walker, { type: "answer_saved", page_key, component_key: component.component_key, ...answer });
    }
    // A required question without an accepted answer lets nobody pass.
    if (component.required && !walker.answers.has(component.component_key)) return false;
  }
  return true;
}

/** Interruptions: a child, a doorbell, a reload, a night's sleep. */
function pause(walker: Walker): void {
  const { random } = walker;
  if (random.chance(0.012)) {
    walker.at += random.int(2, 8) * second;
    walker.reloads.push(walker.events.length);
  } else if (random.chance(0.015)) {
    walker.at += random.int(2 * minute, 22 * minute);
  } else if (random.chance(0.004)) {
    walker.at += second;
    emit(walker, { type: "quiz_closed" });
    walker.at += random.int(minute, 20 * minute);
  } else if (walker.mayIdle && random.chance(0.006)) {
    walker.at += idleLimit + Math.round(Math.min(36 * 60, random.logNormal(95, 1.1)) * minute);
  }
}

function goBack(walker: Walker): PlacedPage | undefined {
  const page_key = walker.trail.pop();
  if (page_key === undefined) return undefined;
  wait(walker, 3);
  return enter(walker, { kind: "page", page_key, cause: "next", jump_rule_key: null, hidden_page_keys: [] }, "back");
}

/** Back to the first page within the session. Answers stay until they are given again. */
function startOver(walker: Walker): PlacedPage | undefined {
  const step = firstStep(walker.quiz, walker.answers);
  if (step.kind === "end") return undefined;
  wait(walker, 3);
  walker.trail = [];
  walker.restarted = true;
  return enter(walker, step, "restart");
}

/** Onward from a page, by the engine's own step; undefined at the end. */
function goOn(walker: Walker, from: PlacedPage, skips: boolean): PlacedPage | undefined {
  const step = nextStep(walker.quiz, from.page.page_key, walker.answers);
  if (step.kind === "end") return undefined;
  walker.trail.push(from.page.page_key);
  wait(walker, 0.9);
  return enter(walker, step, skips ? "skip" : step.cause);
}

/** People mostly skip contact pages, and the more so the less open they are. */
function skips(walker: Walker, { page }: PlacedPage): boolean {
  if (!page.skippable || isTimedOut(walker)) return false;
  const asksContact = page.components.some(isContact);
  return walker.random.chance(asksContact ? 0.75 - walker.persona.openness * 0.75 : 0.2);
}

function leave(walker: Walker): Ending {
  if (!walker.random.chance(0.45)) return "left";
  wait(walker, 2.5);
  emit(walker, { type: "quiz_closed" });
  return "closed";
}

function restartElsewhere(walker: Walker): Ending {
  wait(walker, 4);
  emit(walker, { type: "quiz_restarted", next_session_id: walker.nextSessionId ?? "" });
  return "restarted";
}

/** The last page: finish, look at the products, perhaps add some to the cart. */
function finish(walker: Walker, { page }: PlacedPage): Ending {
  const { random, persona } = walker;
  walker.at += random.int(150, 800);
  emit(walker, { type: "quiz_finished", page_key: page.page_key });
  if (walker.shown.length > 0 && random.chance(0.08 + persona.patience * 0.2)) {
    for (let added = random.weighted([1, 2, 3], (count) => 1 / count ** 2); added > 0; added--) {
      wait(walker, 16);
      const { product_id, variant_id } = random.pick(walker.shown);
      emit(walker, { type: "product_added", product_id, variant_id, quantity: random.chance(0.9) ? 1 : 2 });
    }
  }
  if (walker.trail.length > 0 && !isTimedOut(walker) && random.chance(0.04)) goBack(walker);
  if (walker.nextSessionId !== null && random.chance(0.025)) return restartElsewhere(walker);
  if (random.chance(0.5)) {
    wait(walker, 20);
    emit(walker, { type: "quiz_closed" });
  }
  return "finished";
}

/** Visits one page; returns the next page, or how the walk ends here. */
function visit(walker: Walker, placed: PlacedPage): PlacedPage | Ending {
  const { random, quiz } = walker;
  const { page } = placed;
  if (page.kind === "content" && givesUp(walker, 3)) return leave(walker);
  const skipped = skips(walker, placed);
  if (skipped) wait(walker, 3);
  else if (!fill(walker, placed)) return leave(walker);
  if (isFinishPage(quiz, page.page_key, walker.answers)) {
    return walker.answers.size > 0 && !skipped ? finish(walker, placed) : leave(walker);
  }
  if (walker.answers.size > 0 && !walker.restarted && random.chance(0.009)) return startOver(walker) ?? leave(walker);
  if (walker.nextSessionId !== null && walker.answers.size > 0 && random.chance(0.004)) return restartElsewhere(walker);
  if (!isTimedOut(walker) && !skipped && walker.trail.length > 0 && random.chance(0.045)) {
    return goBack(walker) ?? leave(walker);
  }
  return goOn(walker, placed, skipped) ?? leave(walker);
}

/** Share of shoppers who only look at the first page. */
const bounceRate = 0.17;
/** A longer walk is caught in one of the quiz's loops. */
const maxPages = 80;

/**
 * A realistic walk of one shopper through a quiz, from `quiz_opened` on; testkit/histories.ts generates everything else
 * that could be sent. Pages follow the engine, the engine accepts all answers, nothing is finished before its required
 * questions are answered, and nobody skips or goes back after timing out.
 */
export function walk(settings: WalkSettings): Walk {
  const walker: Walker = {
    ...settings,
    at: settings.opensAt,
    events: [],
    reloads: [],
    answers: new Map(),
    shown: [],
    trail: [],
    lastAt: settings.opensAt,
    timedOut: false,
    restarted: false,
  };
  const end = (ending: Ending): Walk => ({ events: walker.events, ending, reloads: walker.reloads });
  emit(walker, { type: "quiz_opened" });
  const step = firstStep(walker.quiz, walker.answers);
  if (step.kind === "end") return end("left");
  walker.at += walker.random.int(80, 700);
  let here: PlacedPage | undefined = enter(walker, step, "start");
  if (here && walker.random.chance(bounceRate)) return end(leave(walker));
  for (let pages = 0; here && pages < maxPages; pages++) {
    const next: PlacedPage | Ending = visit(walker, here);
    if (typeof next === "string") return end(next);
    here = next;
  }
  return end(leave(walker));
}
