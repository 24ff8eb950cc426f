/** Names in formulas: completes them while they are typed, and renames them. Pure. */

export interface Completion {
  /** as written in a formula */
  name: string;
  /** its name on the quiz's pages */
  label: string;
}

const atMost = 8;
const lastWord = /(?:"[^"]*|\{[^{}]*|[\p{L}_][\p{L}\p{N}_.]*)$/u;

/** The partial word before the cursor; "" if there is none. */
export const wordBefore = (text: string, cursor: number): string => lastWord.exec(text.slice(0, cursor))?.[0] ?? "";

/** The names that complete the word, matched by name or label. */
export function completions(text: string, cursor: number, names: readonly Completion[]): Completion[] {
  const word = wordBefore(text, cursor).replace(/^["{]/, "").toLowerCase();
  if (word === "") return [];
  const fits = ({ name, label }: Completion): boolean =>
    name.toLowerCase().includes(word) || label.toLowerCase().includes(word);
  const exact = names.some(({ name }) => name.toLowerCase() === word);
  return exact ? [] : names.filter(fits).slice(0, atMost);
}

/** Replaces the word before the cursor with the name. */
export function completed(text: string, cursor: number, { name }: Completion): { text: string; cursor: number } {
  const begin = cursor - wordBefore(text, cursor).length;
  return { text: text.slice(0, begin) + name + text.slice(cursor), cursor: begin + name.length };
}

const plainName = /^[\p{L}_][\p{L}\p{N}_.]*$/u;

/** A key as written in a formula: a plain word as it is, else in double quotes, or in braces if it contains a quote. */
export function formulaName(key: string): string {
  if (plainName.test(key)) return key;
  return key.includes('"') ? `{${key.replaceAll(/[{}]/g, "")}}` : `"${key}"`;
}

/** Names as the formula language tokenises them: words, and anything in double quotes or braces; 1e5 is a number. */
const token = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|[\p{L}_][\p{L}\p{N}_.]*|"[^"]+"|\{[^{}]+\}/gu;

/** The names in a formula, without those of functions. */
export function namesIn(expression: string): string[] {
  return [...expression.matchAll(token)].flatMap(({ 0: name, index }) => {
    const isNumber = /^[.\d]/.test(name);
    return isNumber || isCall(expression, name, index) ? [] : [bareName(name)];
  });
}

const bareName = (name: string): string => (/^["{]/.test(name) ? name.slice(1, -1) : name);

/** Whether a plain name stands before "(", as a function's. */
const isCall = (expression: string, name: string, at: number): boolean =>
  bareName(name) === name && /^\s*\(/.test(expression.slice(at + name.length));

/** Renames the names in a formula. */
export const renamedFormula = (expression: string, renamed: ReadonlyMap<string, string>): string =>
  expression.replace(token, (name, at: number) => {
    const key = renamed.get(bareName(name));
    return key === undefined || isCall(expression, name, at) ? name : formulaName(key);
  });
