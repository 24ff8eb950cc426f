import { email, fullQuiz, phone, shortQuiz } from "../journeys/documents.ts";

/** The live quizzes of the attacked store: legal documents, some of them as dear as a legal document can be. */

const option = (option_id: string) => ({ option_id, label: `Label of ${option_id}`, image_url: null, points: {} });
const choice = (component_key: string, options: number) => ({
  ...{ kind: "choice", component_key, question: `Question ${component_key}?`, required: true, multiple: false },
  options: Array.from({ length: options }, (_, number) => option(`${component_key}_${number}`)),
});
const asked = (kind: string, component_key: string, more: object) => ({
  ...{ kind, component_key, question: `Question ${component_key}?`, required: false, ...more },
});
const page = (page_key: string, kind: string, components: readonly unknown[], visible_when: unknown = null) => ({
  ...{ page_key, title: `Title of ${page_key}`, kind, skippable: false, visible_when, components },
});
const bare = { jump_rules: [], dimensions: [], property_mappings: [] };

const open = { min: null, max: null, unit: null, style: "field" };

/** Questions without bounds: whatever is typed has to be answered for. */
const numbersQuiz = {
  ...bare,
  pages: [
    page("first", "question", [
      asked("number", "free", { ...open, step: 1 }),
      asked("number", "fine", { ...open, step: 1e-9 }),
      asked("text", "story", { max_length: 10_000 }),
      email("mail"),
      phone("tel"),
    ]),
    page("result", "result", []),
  ],
};

export const conditionalPages = 199;
const asksOfEach = 8;

/** Which options show a page; another eight of fifty for each. */
const shownFor = (number: number) => ({
  any: Array.from({ length: asksOfEach }, (_, ask) => ({
    ...{ component_key: "pick", op: "in" },
    option_ids: [`pick_${(number + ask * 7) % 50}`, `pick_${(number + ask * 11) % 50}`],
  })),
});

/** 200 pages, of which 199 are results that depend on the first, where something required stays open. */
const branchingQuiz = {
  ...bare,
  pages: [
    page("first", "question", [
      choice("pick", 50),
      { ...asked("text", "must", { max_length: 100 }), required: true },
      ...Array.from({ length: 20 }, (_, number) => asked("phone", `tel_${number}`, { consent: null })),
    ]),
    ...Array.from({ length: conditionalPages }, (_, number) => page(`page_${number}`, "result", [], shownFor(number))),
  ],
};

/** As much text as a document may have within a megabyte. */
const largeQuiz = {
  ...bare,
  pages: [
    page("first", "question", [choice("pick", 3)]),
    ...Array.from({ length: 45 }, (_, number) =>
      page(`text_${number}`, "content", [
        { kind: "content", component_key: `text_${number}`, html_text: `<p>${`${number} Hello. `.repeat(1_300)}</p>` },
      ]),
    ),
    page("result", "result", []),
  ],
};

export const attackedQuizzes = {
  short: shortQuiz,
  full: fullQuiz,
  numbers: numbersQuiz,
  branching: branchingQuiz,
  large: largeQuiz,
} as const;

export type AttackedQuiz = keyof typeof attackedQuizzes;
