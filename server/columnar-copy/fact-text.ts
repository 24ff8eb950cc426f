import type { Entry } from "./mapping.ts";
import type { SessionList } from "./schema.ts";

/** Parses a session's fact text, as written by its slice (copy-text.ts of sessions), and the texts stored with it. */

const numbers = '["BIGINT"]';
const lists = '[["BIGINT"]]';
const reals = '[["DOUBLE"]]';

/** The JSON structure for DuckDB's from_json. */
export const factForm = `{"i":${numbers},"v":${lists},"m":${lists},"h":${lists},"a":${lists},"n":${reals},"d":${lists},"p":${reals},"f":${reals},"s":${lists},"g":["VARCHAR"]}`;

export const textForm = '[{"q":"INTEGER","t":"VARCHAR","w":"BIGINT"}]';

export const factLists = ["v", "m", "h", "a", "n", "d", "p", "f", "s"] as const satisfies readonly SessionList[];

type FactText = Partial<Record<(typeof factLists)[number], Entry[]>> & { i?: Entry; g?: string[] };

interface AnswerText {
  q: number;
  t: string;
  w: number;
}

export interface Facts extends FactText {
  texts: readonly AnswerText[];
}

/** Returns null if they do not have this form. Does not check what the numbers refer to. */
export function parseFacts(text: string, texts: string | null): Facts | null {
  const [facts, answerTexts] = [parsed(text), texts === null ? [] : parsed(texts)];
  return isFactText(facts) && isListOf(answerTexts, isAnswerText) ? { ...facts, texts: answerTexts } : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const isListOf = <Item>(value: unknown, is: (item: unknown) => item is Item): value is Item[] =>
  Array.isArray(value) && value.every(is);
const isEntry = (value: unknown): value is Entry =>
  isListOf(value, (item): item is number | null => item === null || typeof item === "number");
const isText = (value: unknown): value is string => typeof value === "string";
const isAnswerText = (value: unknown): value is AnswerText => isText((value as AnswerText | null)?.t);

function isFactText(value: unknown): value is FactText {
  if (typeof value !== "object" || value === null) return false;
  const facts: Partial<Record<string, unknown>> = value;
  return (
    factLists.every((list) => facts[list] === undefined || isListOf(facts[list], isEntry)) &&
    (facts["i"] === undefined || isEntry(facts["i"])) &&
    (facts["g"] === undefined || isListOf(facts["g"], isText))
  );
}
