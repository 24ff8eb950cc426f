/** The names in formulas: completing them while one is typed, and writing others in their place. Pure. */

export interface Completion {
  /** as a formula writes it */
  name: string;
  /** what it is called on the quiz's pages */
  label: string;
}

const atMost = 8;
const lastWord = /(?:"[^"]*|\{[^{}]*|[\p{L}_][\p{L}\p{N}_.]*)$/u;

/** The word that is being typed before the cursor; "" where none is. */
export const wordBefore = (text: string, cursor: number): string => lastWord.exec(text.slice(0, cursor))?.[0] ?? "";

/** Names that the word may become, by their own text or what they are called. */
export function completions(text: string, cursor: number, names: readonly Completion[]): Completion[] {
  const word = wordBefore(text, cursor).replace(/^["{]/, "").toLowerCase();
  if (word === "") return [];
  const fits = ({ name, label }: Completion): boolean =>
    name.toLowerCase().includes(word) || label.toLowerCase().includes(word);
  const exact = names.some(({ name }) => name.toLowerCase() === word);
  return exact ? [] : names.filter(fits).slice(0, atMost);
}

/** The text with the name in place of the word before the cursor. */
export function completed(text: string, cursor: number, { name }: Completion): { text: string; cursor: number } {
  const begin = cursor - wordBefore(text, cursor).length;
  return { text: text.slice(0, begin) + name + text.slice(cursor), cursor: begin + name.length };
}

const plainName = /^[\p{L}_][\p{L}\p{N}_.]*$/u;

/** A name as a formula writes it: between quotes, or braces where it has a quote, unless it is a plain word. */
export function formulaName(key: string): string {
  if (plainName.test(key)) return key;
  return key.includes('"') ? `{${key.replaceAll(/[{}]/g, "")}}` : `"${key}"`;
}

/** Names as the language of formulas reads them: words, and anything in double quotes or braces; 1e5 is a number. */
const token = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|[\p{L}_][\p{L}\p{N}_.]*|"[^"]+"|\{[^{}]+\}/gu;

/** The same formula with other names, by the names that it has. */
export const renamedFormula = (expression: string, renamed: ReadonlyMap<string, string>): string =>
  expression.replace(token, (name, at: number) => {
    const bare = /^["{]/.test(name) ? name.slice(1, -1) : name;
    const key = renamed.get(bare);
    // a function's name is one only before "("
    const isCall = bare === name && /^\s*\(/.test(expression.slice(at + name.length));
    return key === undefined || isCall ? name : formulaName(key);
  });
