import type { QuizDocument } from "../../engine/document.ts";
import { choice, date, email, formula, number, option, page, products, quizDocument, text } from "../document-parts.ts";

/**
 * The quiz of seeded stores, and the events that a shopper's browser sends. history.ts writes sessions with the numbers
 * of its keys (engine/numbering.ts): skin_type 0, birthday 1, goals 2, age 3, remark 4, email 5.
 */

const six = (component_key: string) =>
  Array.from({ length: 6 }, (_, index) =>
    option(`${component_key}_${index}`, {
      label: `Choice ${index} of ${component_key}`,
      points: { [index % 2 === 0 ? "dry" : "oily"]: 1 + index },
    }),
  );

const productNumbers = [0, 1, 2];

export const seededDocument: QuizDocument = quizDocument(
  [
    page("skin", [
      choice("skin_type", six("skin_type"), { question: "Which skin do you have?", required: true }),
      date("birthday", { question: "When were you born?" }),
    ]),
    page("goals", [choice("goals", six("goals"), { question: "What do you want?", required: true, multiple: true })]),
    page("age", [
      number("age", { question: "How old are you?", required: true, min: 0, max: 120 }),
      formula("double_age", "Twice", "age * 2"),
    ]),
    page("contact", [
      text("remark", { question: "Anything else?" }),
      email("email", { question: "Where shall we write to?" }),
    ]),
    page("result", [products("picks", productNumbers)], { kind: "result" }),
  ],
  {
    dimensions: [
      { dimension_id: "dry", name: "Dry" },
      { dimension_id: "oily", name: "Oily" },
    ],
  },
);

const productIds = productNumbers.map((id) => `gid://shopify/Product/${id}`);
const shown = {
  type: "products_shown",
  page_key: "result",
  block_key: "picks",
  products: productIds.map((product_id, position) => ({ product_id, position, source: "fixed" })),
};
const added = { type: "product_added", product_id: productIds[0], quantity: 1 };
const enter = (page_key: string, cause: string) => ({ type: "page_entered", page_key, cause });
const answer = (page_key: string, component_key: string, given: object) => ({
  type: "answer_saved",
  page_key,
  component_key,
  ...given,
});

export const requestCount = 4;
export const eventsEach = 5;

/** The events of a session's four requests: the first has the first answer, the third the finish. */
function scriptOf(number: number, address: string | null): object[][] {
  return [
    [
      { type: "quiz_opened" },
      enter("skin", "start"),
      answer("skin", "skin_type", { option_ids: [`skin_type_${number % 6}`] }),
      answer("skin", "birthday", { value: { date: `19${50 + (number % 50)}-03-04` } }),
      enter("goals", "next"),
    ],
    [
      answer("goals", "goals", { option_ids: [`goals_${number % 4}`, `goals_${4 + (number % 2)}`] }),
      enter("age", "next"),
      answer("age", "age", { value: 18 + (number % 60) }),
      enter("contact", "next"),
      answer("contact", "remark", { value: "I have very dry skin in winter" }),
    ],
    [
      address === null
        ? answer("contact", "remark", { value: "Nothing else" })
        : answer("contact", "email", { value: address, consent: number % 2 === 0 }),
      enter("result", "next"),
      shown,
      added,
      { type: "quiz_finished", page_key: "result" },
    ],
    [shown, enter("contact", "back"), enter("result", "next"), added, { type: "quiz_closed" }],
  ];
}

/** A request of an endless session: back and forth between two pages, with different answers each time. */
function goingOn(number: number, part: number): object[] {
  if (part === 0) return scriptOf(number, null)[0] ?? [];
  return [
    answer("goals", "goals", { option_ids: [`goals_${part % 6}`] }),
    enter("age", "next"),
    answer("age", "age", { value: 18 + ((number + part) % 60) }),
    enter("goals", "back"),
    answer("goals", "goals", { option_ids: [`goals_${(part + 1) % 6}`, `goals_${(part + 3) % 6}`] }),
  ];
}

/** maximum number of events of a session, which keeps the ids of different sessions apart */
const mostEvents = 128;

export const hex = (number: number, digits: number): string => number.toString(16).padStart(digits, "0");

export interface Shopping {
  /** publishable key */
  store: string;
  quiz: string;
  version: string;
  /** `sess_...` and `vis_...` */
  session: string;
  visitor: string;
  /** eight hexadecimal digits that distinguish this run's events from those of others */
  run: string;
  /** the session's number, which determines the answers */
  number: number;
  /** email to leave; null: none */
  address: string | null;
  /** whether the session continues after its fourth request instead of ending */
  goesOn?: boolean;
}

/** The body of one of a session's requests, of which there are four unless `goesOn`; its sending time is now. */
export function eventsBody(shopping: Shopping, part: number): string {
  const { store, quiz, version, session, visitor, run, number, address } = shopping;
  const now = Date.now();
  const told = shopping.goesOn ? goingOn(number, part) : (scriptOf(number, address)[part] ?? []);
  const events = told.map((event, index) => {
    const seq = part * eventsEach + index;
    const id = `evt_${run}-0000-4000-8000-${hex(number * mostEvents + seq, 12)}`;
    return { id, seq, at: new Date(now - eventsEach + index).toISOString(), ...event };
  });
  const facts = {
    id: session,
    visitor_id: visitor,
    quiz_id: quiz,
    version_id: version,
    channel: "online_store",
    placement: "popup",
    page_url: "https://shop.example.com/pages/quiz?utm_source=mail",
    referrer: "https://search.example.com/",
    utm: { source: "mail", medium: "email", campaign: "spring" },
  };
  return JSON.stringify({ store, sent_at: new Date(now).toISOString(), session: facts, events });
}

const agents = [
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36",
  "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Mobile Safari/537.36",
] as const;

export const agentOf = (number: number): string => agents[number % agents.length] ?? agents[0];
