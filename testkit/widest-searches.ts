import type { ProfileSearch, SearchTerm } from "../contract/search.ts";
import { searchLimits } from "../contract/search-terms.ts";
import type { ModelAnswer, ModelStore, ModelTake } from "./search-model.ts";

/**
 * The widest searches that the contract accepts, each with different terms of one kind and operator; and people to
 * find.
 */

const quizId = `quiz_${"a".repeat(32)}`;
/** a quiz's keys; two of them make enough different pairs */
const keys = Array.from({ length: 64 }, (_, index) => `k${index}`);
const keyAt = (index: number): string => keys[index % keys.length] ?? "";
const otherKeyAt = (index: number): string => keyAt(Math.floor(index / keys.length) + index);

type Own = Omit<SearchTerm, "quiz_id" | "kind">;
const asked = (component_key: string): Pick<Own, "page_key" | "component_key"> => ({ page_key: "p", component_key });
const dayAt = (index: number): string => new Date(index * 86_400_000).toISOString().slice(0, 10);

/** A text of the maximum length, with as many words as fit. */
const wordy = (index: number): string =>
  Array.from({ length: 99 }, (_, word) => String.fromCodePoint(0x4e00 + ((index * 31 + word) % 8_000)))
    .join(" ")
    .concat(" x");

/** Two options for each pair, and further ones to fill the list. */
const optionsAt = (index: number): string[] => [
  ...new Set([keyAt(index), otherKeyAt(index), ...keys.slice(index % 16, (index % 16) + 48)]),
];

/** Short words, many of which fit into a text, as many as a search may have. */
const words = Array.from({ length: searchLimits.words }, (_, index) => (index + 36).toString(36));
/** Texts of the same words, in different selections. */
const shortWords = (index: number): string =>
  Array.from({ length: 66 }, (_, place) => words[(index + place * coprime(index)) % words.length]).join(" ");
const coprime = (index: number): number => [1, 3, 7, 9, 11, 13, 17, 19][Math.floor(index / words.length) % 8] ?? 1;

const terms: Record<string, (index: number) => Own & { kind: SearchTerm["kind"] }> = {
  "choice in": (n) => ({ kind: "choice", op: "in", ...asked("pick"), option_ids: [keyAt(n), otherKeyAt(n)] }),
  "choice in, by label": (n) => ({
    kind: "choice",
    op: "in",
    ...asked("pick"),
    option_labels: optionsAt(n).slice(0, 50),
  }),
  "choice not_in": (n) => ({ kind: "choice", op: "not_in", ...asked("pick"), option_ids: [keyAt(n), otherKeyAt(n)] }),
  "number between": (n) => ({ kind: "number", op: "between", ...asked("age"), min: n, max: 1e300 }),
  "date after": (n) => ({ kind: "date", op: "after", ...asked("born"), value: dayAt(n) }),
  "text contains": (n) => ({ kind: "text", op: "contains", ...asked("note"), value: `${n}${"x".repeat(190)}` }),
  "text matches": (n) => ({ kind: "text", op: "matches", ...asked("note"), value: `word${n % 200}` }),
  "text matches, the same words again and again": (n) => ({
    kind: "text",
    op: "matches",
    ...asked("note"),
    value: shortWords(n),
  }),
  "text not_answered": (n) => ({ kind: "text", op: "not_answered", ...asked(`note${n % 40}`) }),
  "points gt": (n) => ({ kind: "points", op: "gt", dimension_id: keyAt(n), value: n }),
  "winner in": (n) => ({ kind: "winner", op: "in", option_ids: [keyAt(n), otherKeyAt(n)] }),
  "session with an outcome": (n) => ({ kind: "session", op: "equals", outcome: keyAt(n), page_key: keyAt(n) }),
  "session equals": (n) => ({ kind: "session", op: "equals", value: "completed", page_key: keyAt(n) }),
};

/**
 * Each term's number depends on its group, slot and position, so that all slots of a group rarely match the same
 * person.
 */
function bodyOf(term: (index: number) => Omit<SearchTerm, "quiz_id">): ProfileSearch {
  const { groups, slots, alternatives } = searchLimits;
  const at = (group: number, slot: number) =>
    Array.from({ length: alternatives }, (_, index) => ({
      quiz_id: quizId,
      ...term((group * slots + slot) * alternatives + index),
    }));
  return {
    groups: Array.from({ length: groups }, (_, group) => ({
      all: Array.from({ length: slots }, (__, slot) => ({ any: at(group, slot) })),
    })),
  };
}

export const widestSearches: [name: string, body: ProfileSearch][] = Object.entries(terms).map(([name, term]) => [
  name,
  bodyOf(term),
]);

/** Texts with as many words as fit. */
export const wordiestSearch: ProfileSearch = bodyOf((n) => ({
  kind: "text",
  op: "matches",
  ...asked("note"),
  value: wordy(n),
}));

const { "text matches, the same words again and again": _, ...mixed } = terms;

/** All kinds in turn, except repeated words, which would use up the limit of words. */
export const mixedSearch: ProfileSearch = bodyOf((index) => {
  const kinds = Object.values(mixed);
  const [first] = kinds;
  const term = kinds[index % kinds.length] ?? first;
  if (!term) throw new Error("there are kinds");
  return term(index);
});

/** With more and more of the short words, up to all of them. */
const noteOf = (index: number): string => [`word${index}`, ...words.slice(0, index * 50)].join(" ");

/** A few people who match much of what is searched for. */
export function widelyAnswered(): ModelStore {
  const people = Array.from({ length: 6 }, (_, index) => ({
    id: `prof_${String(index).repeat(32)}`,
    last_seen: index,
    first_seen: 0,
    visits: 1,
    orders: 0,
    contacts: [],
  }));
  const takes = people.map((person, index): ModelTake => {
    const answers: ModelAnswer[] = [
      { page_key: "p", component_key: "pick", kind: "choice", option_ids: keys.filter((_, key) => key % 6 <= index) },
      { page_key: "p", component_key: "age", kind: "number", value: index * 400 },
      { page_key: "p", component_key: "born", kind: "date", value: dayAt(index * 400) },
      { page_key: "p", component_key: "note", kind: "text", value: index === 5 ? wordy(3) : noteOf(index) },
      { page_key: "p", component_key: "mail", kind: "email", value: "ada@example.com" },
      ...Array.from({ length: 40 }, (_, note): ModelAnswer => {
        return { page_key: "p", component_key: `note${note}`, kind: "text", value: "x" };
      }).filter((_, note) => note % 6 > index),
    ];
    return {
      id: `0000000${index}-0000-4000-8000-000000000000`,
      person: person.id,
      quiz_id: quizId,
      started: index,
      completed: index + 1,
      status: "completed",
      last_page_key: keyAt(index),
      answers,
      points: keys.map((dimension_id) => ({ dimension_id, total: index * 400 })),
      formulas: [{ page_key: "p", component_key: "sum", value: index * 400 }],
      winner: keyAt(index),
      outcome: keyAt(index),
    };
  });
  const labels = keys.map((key) => ({ quiz_id: quizId, component_key: "pick", option_id: key, label: key }));
  return { people, takes, labels };
}
