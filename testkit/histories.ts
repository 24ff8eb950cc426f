import fc from "fast-check";
import type { EnterCause, ShopperEvent } from "../contract/storefront.ts";
import { normaliseAnswer } from "../engine/answers.ts";
import type { AnswerValue, QuestionComponent } from "../engine/document.ts";
import { firstStep, nextStep } from "../engine/path.ts";
import { picksOf, type Quiz } from "../engine/quiz.ts";

/** An event as the store keeps it: with its corrected time in ms. */
export type TimedEvent = ShopperEvent & { time: number; own_time?: boolean };

/** An event's fields apart from its position in the session. */
type Fields<Event = ShopperEvent> = Event extends ShopperEvent ? Omit<Event, "id" | "seq" | "at"> : never;
/**
 * An event of a scripted history; `seq` defaults to that of the previous event plus one, `min` is its time in minutes
 * since the start.
 */
export type ScriptedEvent = Fields & { seq?: number; min?: number };

export const historyStart = Date.parse("2026-03-02T10:00:00.000Z");

/** A valid event id that contains its number. */
export function eventId(number: number): string {
  return `evt_00000000-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
}

/** Events in the order given; one without `min` comes a second after the previous one. */
export function scriptedHistory(...script: ScriptedEvent[]): TimedEvent[] {
  let previous = { seq: -1, time: historyStart - 1000 };
  return script.map(({ seq, min, ...fields }, index) => {
    const time = min === undefined ? previous.time + 1000 : historyStart + min * 60_000;
    previous = { seq: seq ?? previous.seq + 1, time };
    return place(fields, index, previous);
  });
}

function place(fields: Fields, index: number, { seq, time }: { seq: number; time: number }): TimedEvent {
  return { ...fields, id: eventId(index), seq, at: new Date(time).toISOString(), time };
}

/** A shopper's action; `pick` chooses among the possibilities, `wait` is the time before it in ms. */
interface Action {
  kind: (typeof actions)[number]["value"];
  pick: number;
  wait: number;
  consent: boolean | null;
}

/** With their weights: a walk mostly consists of answering and continuing. */
const actions = [
  { weight: 40, value: "answer" },
  { weight: 30, value: "go_on" },
  { weight: 6, value: "back" },
  { weight: 4, value: "skip" },
  { weight: 4, value: "finish" },
  { weight: 2, value: "show" },
  { weight: 1, value: "add" },
  { weight: 1, value: "clear" },
  { weight: 1, value: "wander" },
  { weight: 1, value: "start_over" },
  { weight: 1, value: "reload" },
  { weight: 1, value: "answer_elsewhere" },
  { weight: 1, value: "close" },
  { weight: 1, value: "restart" },
] as const;

const half = 30 * 60_000;
const arbitraryWait: fc.Arbitrary<number> = fc.oneof(
  { weight: 40, arbitrary: fc.integer({ min: 0, max: 90_000 }) },
  { weight: 1, arbitrary: fc.constantFrom(half - 1, half, half + 1, 3 * half) },
  { weight: 1, arbitrary: fc.integer({ min: -120_000, max: -1 }) },
);

/** One of several values, with frequencies proportional to their weights. */
export const weighted = <Value>(values: readonly { weight: number; value: Value }[]): fc.Arbitrary<Value> =>
  fc.oneof(...values.map(({ weight, value }) => ({ weight, arbitrary: fc.constant(value) })));

const arbitraryAction: fc.Arbitrary<Action> = fc.record({
  kind: weighted(actions),
  pick: fc.nat(1_000_000),
  wait: arbitraryWait,
  consent: fc.constantFrom(true, false, null),
});

interface Shopper {
  quiz: Quiz;
  current: string | null;
  trail: string[];
  answers: Map<string, AnswerValue>;
}

function enter(shopper: Shopper, page_key: string, cause: EnterCause, more: object = {}): Fields {
  if (cause === "back") shopper.trail.pop();
  else shopper.trail.push(page_key);
  shopper.current = page_key;
  return { type: "page_entered", page_key, cause, ...more };
}

const dayMs = 24 * 3_600_000;

/** A shopper's answer to a question: usually a valid one, now and then nothing, or an invalid contact. */
export function answerTo(
  component: QuestionComponent,
  pick: number,
): { option_ids?: string[]; value?: string | number | null } {
  switch (component.kind) {
    case "choice":
    case "image": {
      const chosen = component.options.filter((_, index) => (pick >> index) & 1).map((option) => option.option_id);
      return { option_ids: component.multiple ? chosen : chosen.slice(0, 1) };
    }
    case "number": {
      const { min, max, step } = component;
      const steps = max === null ? 100 : Math.floor((max - (min ?? 0)) / step);
      return { value: (min ?? 0) + step * (pick % (steps + 1)) };
    }
    case "date": {
      const day = new Date(historyStart + (pick % 9_000) * dayMs).toISOString().slice(0, 10);
      return { value: component.with_time && pick % 2 === 0 ? `${day}T10:30` : day };
    }
    case "email":
      return { value: ["ann@example.com", " Ann@Example.com", "bob@example.com", "no address"][pick % 4] ?? null };
    case "phone":
      return { value: ["+12025550123", "(202) 555-0123", "none"][pick % 3] ?? null };
    case "text":
      return {
        value: ["short", "  ", "a\nb “quoted” 🙂", "=1+1", ""][pick % 5]?.slice(0, component.max_length) ?? null,
      };
  }
}

function answer(shopper: Shopper, { pick, kind, consent }: Action): Fields | null {
  const all = [...shopper.quiz.questions.values()];
  const here = all.filter((question) => question.placed.page.page_key === shopper.current);
  const candidates = kind === "answer" ? here : all;
  const question = candidates[pick % Math.max(1, candidates.length)];
  if (question === undefined) return null;
  const { component_key } = question.component;
  const { page_key } = question.placed.page;
  const raw = kind === "clear" ? { value: null } : answerTo(question.component, pick);
  const normalised = normaliseAnswer(question.component, raw);
  if (normalised.ok && normalised.value !== null) shopper.answers.set(component_key, normalised.value);
  else shopper.answers.delete(component_key);
  return { type: "answer_saved", page_key, component_key, ...raw, consent };
}

function goOn(shopper: Shopper, asSkip: boolean): Fields | null {
  const { quiz, current, answers } = shopper;
  const step = current === null ? firstStep(quiz, answers) : nextStep(quiz, current, answers);
  if (step.kind === "end") return current === null ? null : { type: "quiz_finished", page_key: current };
  const { cause, jump_rule_key, hidden_page_keys } = step;
  return enter(shopper, step.page_key, asSkip ? "skip" : cause, { jump_rule_key, hidden_page_keys });
}

/** The fields of the event that an action causes; null: the action is impossible at this point. */
function act(shopper: Shopper, action: Action): Fields | null {
  const { quiz, current, trail } = shopper;
  const pages = [...quiz.pages.keys()];
  const blocks = [...quiz.blocks.values()];
  const anyPage = pages[action.pick % pages.length] ?? "";
  switch (action.kind) {
    case "answer":
    case "answer_elsewhere":
    case "clear":
      return answer(shopper, action);
    case "go_on":
    case "skip":
      return goOn(shopper, action.kind === "skip");
    case "back": {
      const before = trail.at(-2);
      return before === undefined ? null : enter(shopper, before, "back");
    }
    case "wander":
      return enter(shopper, anyPage, (["next", "jump", "skip"] as const)[action.pick % 3] ?? "next", {
        jump_rule_key: "gone",
      });
    case "start_over":
      return enter(shopper, pages[0] ?? "", action.pick % 2 ? "restart" : "start");
    case "reload":
      return current === null ? null : { type: "page_entered", page_key: current, cause: "start" };
    case "finish":
      return { type: "quiz_finished", page_key: action.pick % 4 ? (current ?? anyPage) : anyPage };
    case "show": {
      const block = blocks[action.pick % Math.max(1, blocks.length)];
      if (block === undefined) return null;
      const products = picksOf(block.block).map(({ product_id, variant_id }, position) => ({
        product_id,
        variant_id,
        position,
      }));
      return {
        type: "products_shown",
        page_key: block.placed.page.page_key,
        block_key: block.block.block_key,
        products,
      };
    }
    case "add":
      return {
        type: "product_added",
        product_id: `gid://shopify/Product/${action.pick % 5}`,
        quantity: 1 + (action.pick % 3),
      };
    case "close":
      return { type: "quiz_closed" };
    case "restart":
      return { type: "quiz_restarted", next_session_id: `sess_${"0".repeat(32)}` };
  }
}

/**
 * Random walks through a quiz as any browser could send them, while shopper-walks.ts sends what the player does: in
 * `seq` order, with `quiz_opened` first: answers, Back, Skip, jumps, restarts, reloads, closing and returning, idle
 * gaps of about 30 minutes and longer, clocks that run backwards. Every event refers to pages and components of the
 * quiz. Now and then events are lost or share a `seq`.
 */
export function arbitraryHistory(
  quiz: Quiz,
  { start = historyStart, maxActions = 40 }: { start?: number; maxActions?: number } = {},
): fc.Arbitrary<TimedEvent[]> {
  return fc
    .record({
      walk: fc.array(arbitraryAction, { maxLength: maxActions, size: "max" }),
      sharedSeq: fc.oneof(
        { weight: 5, arbitrary: fc.constant(0) },
        { weight: 1, arbitrary: fc.integer({ min: 2, max: 9 }) },
      ),
      lost: fc.oneof(
        { weight: 4, arbitrary: fc.constant<number[]>([]) },
        { weight: 1, arbitrary: fc.array(fc.nat(maxActions), { maxLength: 4 }) },
      ),
    })
    .map(({ walk, sharedSeq, lost }) => {
      const shopper: Shopper = { quiz, current: null, trail: [], answers: new Map() };
      const events: TimedEvent[] = [place({ type: "quiz_opened" }, 0, { seq: 0, time: start })];
      let time = start;
      for (const action of walk) {
        const fields = act(shopper, action);
        if (fields === null) continue;
        time += action.wait;
        const index = events.length;
        events.push(
          place(fields, index, { seq: sharedSeq > 0 ? index - (index % sharedSeq === 0 ? 1 : 0) : index, time }),
        );
      }
      const kept = events.filter((_, index) => !lost.includes(index));
      return kept.length > 0 ? kept : events;
    });
}
