import type { AnswerSaved } from "../contract/storefront.ts";
import type {
  ChoiceComponent,
  ContactComponent,
  DateComponent,
  NumberComponent,
  QuestionComponent,
  TextComponent,
} from "../engine/document.ts";
import { valued } from "../engine/kinds/value.ts";
import { type Persona, tasteSize } from "./personas.ts";
import { createRandom, type Random } from "./random.ts";

/** A shopper's answer to one question: their part of `answer_saved`. */
type AnswerInput = Pick<AnswerSaved, "option_ids" | "value" | "consent">;

export interface Answering {
  /**
   * Answers in the order in which the browser reports them: usually one; a corrected typing error or a changed checkbox
   * adds another.
   */
  answer(component: QuestionComponent, persona: Persona, random: Random, at: number): AnswerInput[];
}

/** By component_key; questions of other quizzes get one of `anything`. */
const remarks: Readonly<Record<string, readonly string[]>> = {
  avoid: [
    "Fragrance. All of it.",
    "Lavender oil makes me sneeze",
    "coconut oil and anything with alcohol high up the list",
    "Nuts, please, I am allergic to almonds",
    "Retinol was a disaster last winter",
    "essential oils",
    "I don't know what it was, something in a blue jar",
  ],
  card_text: [
    "Happy birthday! Put your feet up for once.",
    "Thank you for everything this year x",
    "For the new bathroom, and the person in it",
    "Sorry it's late. Again.",
    "You said you never buy yourself anything nice, so there.",
    "With love from all of us on the third floor",
  ],
  story: [
    "Dry patches around my nose since October, nothing I own helps.",
    "Adult acne along the jaw, comes and goes with my cycle. Two dermatologists, three creams.",
    "Getting married in spring and would like to look awake.",
    "I have been using soap. Please help.",
    "My skin changed completely after moving to a hard water area",
    "rosacea, diagnosed, quite mild",
  ],
  anything: [
    "Not sure yet",
    "Whatever you would suggest",
    "See above",
    "Nothing in particular, thank you!",
    "It depends",
  ],
};

/** Range of days from today for the answer to a date question; dates of other questions lie in the future. */
const dateSpans: Readonly<Record<string, readonly [number, number]>> = {
  last_change: [-520, -4],
  event_date: [6, 330],
};
/** from the day after tomorrow: a day may be over elsewhere */
const ahead = [2, 60] as const;

function answerText(component: TextComponent, persona: Persona, random: Random): AnswerInput[] {
  const isName = component.component_key.endsWith("name");
  const text = isName
    ? random.pick([`${persona.firstName} ${persona.lastName}`, persona.firstName, persona.firstName.toLowerCase()])
    : random.pick(remarks[component.component_key] ?? remarks["anything"] ?? [""]);
  const answer = { value: text.slice(0, component.max_length) };
  return !component.required && random.chance(0.03) ? [answer, { value: null }] : [answer];
}

/** An id's position in the space of tastes, always the same for an id. */
const placeOf = (id: string): readonly number[] => {
  const random = createRandom(`taste/${id}`);
  return Array.from({ length: tasteSize }, () => random.normal(0, 0.6));
};

const dot = (a: readonly number[], b: readonly number[]) =>
  a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);

function answerNumber(component: NumberComponent, level: number, random: Random): AnswerInput[] {
  const { min, max, step } = component;
  const base = min ?? 0;
  // In steps from the base; a hundred of them if the question has no bounds.
  const last = max === null ? 100 : Math.floor((max - base) / step + 1e-9);
  const first = min === null ? Math.min(0, last - 100) : 0;
  const position = first + (last - first) * random.normal(level, 0.13);
  const steps = Math.min(last, Math.max(first, Math.round(position)));
  // Converted through text, so that steps of 0.1 leave no binary rounding digits.
  return [{ value: Number((base + steps * step).toFixed(6)) }];
}

function answerDate(component: DateComponent, random: Random, at: number): AnswerInput[] {
  const [first, last] = dateSpans[component.component_key] ?? ahead;
  const time = new Date(at + random.int(first, last) * 86_400_000);
  const weekday = time.getUTCDay();
  // Appointments are made for working days.
  if (component.with_time && (weekday === 0 || weekday === 6)) time.setUTCDate(time.getUTCDate() + 2);
  const date = time.toISOString().slice(0, 10);
  if (!component.with_time) return [{ value: { date, time: null } }];
  const clock = `${String(random.int(9, 16)).padStart(2, "0")}:${random.pick(["00", "20", "40"])}`;
  return [{ value: { date, time: clock } }];
}

/** A contact typed in a hurry; it is corrected a moment later, or not at all. */
function slip(value: string, random: Random): string {
  if (!value.includes("@")) return value.slice(0, -1);
  return random.pick([
    value.replace("@", "@@"),
    value.replace("@", ""),
    value.replace("example", "exmaple"),
    value.replace(/\.[a-z]+$/, ".con"),
    value.slice(1),
  ]);
}

function answerContact(component: ContactComponent, persona: Persona, random: Random): AnswerInput[] {
  const own = component.kind === "email" ? persona.email : (persona.phone ?? "not now, thanks");
  const tidy = random.chance(0.9) ? own : random.pick([` ${own}`, `${own} `, own[0]?.toUpperCase() + own.slice(1)]);
  const box = component.consent;
  const ticked = box === null ? null : box.required || random.chance(persona.agreeable);
  const answers: AnswerInput[] = [{ value: tidy, consent: ticked }];
  if (random.chance(0.06)) answers.unshift({ value: slip(own, random), consent: ticked });
  else if (random.chance(0.01)) answers[0] = { value: slip(own, random), consent: ticked };
  if (box !== null && !box.required && random.chance(0.05)) answers.push({ value: tidy, consent: !ticked });
  return answers;
}

/** Caches the positions of ids in the space of tastes, which are expensive to compute. */
export function createAnswering(): Answering {
  const known = new Map<string, readonly number[]>();
  const pull = (persona: Persona, id: string): number => {
    let place = known.get(id);
    if (!place) {
      place = placeOf(id);
      known.set(id, place);
    }
    return dot(persona.taste, place);
  };
  const answerChoice = (component: ChoiceComponent, persona: Persona, random: Random): AnswerInput[] => {
    const scored = component.options.map(({ option_id, exclusive = false }) => ({
      option_id,
      exclusive,
      liking:
        (persona.archetype.likes.has(option_id) ? 1.9 : 0) +
        pull(persona, option_id) -
        Math.log(-Math.log(random.next() || 0.5)),
    }));
    scored.sort((a, b) => b.liking - a.liking);
    const [best] = scored;
    const others = best?.exclusive ? [best] : scored.filter(({ exclusive }) => !exclusive);
    const liked = component.multiple ? Math.max(1, others.filter(({ liking }) => liking > 1.9).length) : 1;
    const count = Math.min(liked, component.max_choices ?? liked);
    return [{ option_ids: others.slice(0, count).map(({ option_id }) => option_id) }];
  };
  const levelOf = (persona: Persona, key: string): number =>
    persona.archetype.levels[key] ?? 1 / (1 + Math.exp(-1.2 * pull(persona, key)));
  return {
    answer: (component, persona, random, at) => {
      const asked = valued(component);
      switch (asked.value) {
        case "options":
          return answerChoice(asked.component, persona, random);
        case "text":
          return answerText(asked.component, persona, random);
        case "contact":
          return answerContact(asked.component, persona, random);
        case "number":
          return answerNumber(asked.component, levelOf(persona, component.component_key), random);
        case "date":
          return answerDate(asked.component, random, at);
      }
    },
  };
}
