import type { ProfileSearch, SearchTerm } from "../contract/search.ts";

/**
 * Decides which people match a search (docs/rules/search.md) by going through all lists, without regard to speed.
 * Everything is in an integrator's form: public ids, keys, texts as they were typed.
 */

export interface ModelAnswer {
  page_key: string;
  component_key: string;
  kind: "choice" | "image" | "text" | "email" | "phone" | "number" | "date";
  option_ids?: string[];
  value?: string | number;
}

export interface ModelTake {
  /** UUID */
  id: string;
  /** `prof_...`; null: an unknown person */
  person: string | null;
  quiz_id: string;
  /** ms */
  started: number;
  completed: number | null;
  status: "completed" | "in_progress" | "left";
  last_page_key: string;
  answers: ModelAnswer[];
  /** for completed sessions only */
  points: { dimension_id: string; total: number }[];
  formulas: { page_key: string; component_key: string; value: number | null }[];
  winner: string | null;
  /** of a completed take, as figures by outcome have it */
  outcome: string | null;
}

export interface ModelFound {
  id: string;
  /** ms */
  last_seen: number;
  first_seen: number;
  visits: number;
  orders: number;
  contacts: { kind: "email" | "phone"; consent: boolean | null }[];
}

/** A label that an option had in some version. */
export interface ModelLabel {
  quiz_id: string;
  component_key: string;
  option_id: string;
  label: string;
}

export interface ModelStore {
  people: ModelFound[];
  takes: ModelTake[];
  labels: ModelLabel[];
}

export interface ModelSearch {
  /** all matches, in list order */
  ids: string[];
  returning: number;
}

export function searchModel(store: ModelStore, body: ProfileSearch): ModelSearch {
  const found = store.people.filter((person) => matches(store, person, body));
  found.sort((a, b) => b.last_seen - a.last_seen || (a.id < b.id ? 1 : -1));
  return { ids: found.map((person) => person.id), returning: found.filter((person) => person.visits > 1).length };
}

function matches(store: ModelStore, person: ModelFound, body: ProfileSearch): boolean {
  const takes = store.takes.filter((take) => take.person === person.id);
  const facts: [boolean | undefined, boolean][] = [
    [body.has_email, person.contacts.some(({ kind }) => kind === "email")],
    [body.has_phone, person.contacts.some(({ kind }) => kind === "phone")],
    [body.has_marketing_consent, person.contacts.some(({ consent }) => consent === true)],
    [body.has_order, person.orders > 0],
    [body.is_returning, person.visits > 1],
  ];
  if (facts.some(([wanted, is]) => wanted !== undefined && wanted !== is)) return false;
  if (body.from !== undefined || body.to !== undefined || body.quiz_id !== undefined) {
    if (!takes.some((take) => inSpan(take, body))) return false;
  }
  const counted = body.match === "latest_completed_per_quiz" ? takes.filter((take) => isLatest(take, takes)) : takes;
  const groups = body.groups ?? [];
  if (groups.length === 0) return true;
  const holds = (term: SearchTerm) =>
    counted.some((take) => take.quiz_id === term.quiz_id && holdsIn(store, take, term));
  return groups.some((group) =>
    group.all.every((slot) => (slot.any ? slot.any.some(holds) : holds(slot as SearchTerm))),
  );
}

function inSpan(take: ModelTake, { from, to, quiz_id }: ProfileSearch): boolean {
  const day = new Date(take.started).toISOString().slice(0, 10);
  if (from !== undefined && day < from) return false;
  if (to !== undefined && day > to) return false;
  return quiz_id === undefined || take.quiz_id === quiz_id;
}

function isLatest(take: ModelTake, takes: ModelTake[]): boolean {
  const { completed } = take;
  if (completed === null) return false;
  return takes.every((other) => {
    if (other === take || other.quiz_id !== take.quiz_id || other.completed === null) return true;
    return other.completed < completed || (other.completed === completed && other.id < take.id);
  });
}

function holdsIn(store: ModelStore, take: ModelTake, term: SearchTerm): boolean {
  if (term.kind === "session") {
    if (term.page_key !== undefined && take.last_page_key !== term.page_key) return false;
    if (term.outcome !== undefined) return take.status === "completed" && take.outcome === term.outcome;
    return term.value === "completed" ? take.status === "completed" : take.status === "left";
  }
  if (term.kind === "winner") {
    return take.status === "completed" && take.winner !== null && (term.option_ids ?? []).includes(take.winner);
  }
  if (term.kind === "points") {
    if (take.status !== "completed") return false;
    return take.points.some((entry) => entry.dimension_id === term.dimension_id && compares(entry.total, term));
  }
  if (term.kind === "formula") {
    if (take.status !== "completed") return false;
    const formula = take.formulas.find((one) => one.component_key === term.component_key);
    return formula !== undefined && formula.value !== null && compares(formula.value, term);
  }
  // a question is identified by its component, on whatever page it was answered
  const answer = take.answers.find((one) => one.component_key === term.component_key);
  if (term.op === "not_answered") return answer === undefined;
  if (answer === undefined) return false;
  if (term.op === "answered") return true;
  if (term.kind === "choice") {
    const picked = (answer.option_ids ?? []).some((option) => isNamed(store, term, option));
    return term.op === "in" ? picked : !picked;
  }
  if (term.kind === "text") return textHolds(String(answer.value), term);
  return answer.value !== undefined && compares(answer.value, term);
}

function isNamed(store: ModelStore, term: SearchTerm, option: string): boolean {
  if ((term.option_ids ?? []).includes(option)) return true;
  const labels = store.labels.filter(
    (one) => one.quiz_id === term.quiz_id && one.component_key === term.component_key && one.option_id === option,
  );
  return labels.some(({ label }) => (term.option_labels ?? []).some((wanted) => plain(wanted) === plain(label)));
}

/** Compares days as text: `YYYY-MM-DD` sorts like the days. */
function compares(actual: number | string, term: SearchTerm): boolean {
  const { value, min, max } = term;
  switch (term.op) {
    case "eq":
      return actual === value;
    case "lt":
    case "before":
      return value !== undefined && actual < value;
    case "gt":
    case "after":
      return value !== undefined && actual > value;
    default:
      return min !== undefined && max !== undefined && actual >= min && actual <= max;
  }
}

// a lone surrogate is not a character, and does not find the character of which it is a half
const plain = (text: string): string => text.toWellFormed().normalize("NFC").toLowerCase().normalize("NFC");

function textHolds(answer: string, term: SearchTerm): boolean {
  const text = plain(answer);
  const wanted = plain(String(term.value));
  if (term.op === "equals") return text === wanted;
  if (term.op === "contains") return text.includes(wanted);
  const words = wanted.split(/\s/u).filter((word) => word !== "");
  return words.every((word) => standsIn(word, text));
}

/** Whether the word occurs in the text without a letter or digit directly after it. */
function standsIn(word: string, text: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const before = Array.from(text.slice(0, at)).at(-1);
    const after = Array.from(text.slice(at + word.length))[0];
    const first = Array.from(word)[0];
    const last = Array.from(word).at(-1);
    if (!(runsOn(before) && runsOn(first)) && !(runsOn(after) && runsOn(last))) return true;
  }
  return false;
}

const unspaced = ["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"].map(
  (script) => new RegExp(`\\p{Script=${script}}`, "u"),
);

const runsOn = (character: string | undefined): boolean =>
  character !== undefined &&
  /[\p{L}\p{M}\p{N}_]/u.test(character) &&
  !unspaced.some((script) => script.test(character));
