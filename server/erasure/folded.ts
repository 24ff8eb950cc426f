/** Texts in the form in which contacts are searched for: visible marks alone, ASCII digits, nothing encoded. Pure. */

const isAscii = (text: string): boolean => !/[^\0-\x7f]/.test(text);
const invisible = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;

const knownDigits = new Map<string, string>();

/** Each script has its ten digits in a row. */
function asciiDigit(digit: string): string {
  const known = knownDigits.get(digit);
  if (known !== undefined) return known;
  const code = digit.codePointAt(0) ?? 0;
  let first = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first -= 1;
  const ascii = String((code - first) % 10);
  knownDigits.set(digit, ascii);
  return ascii;
}

const foldedText = (text: string): string =>
  isAscii(text)
    ? text
    : text
        .normalize("NFKC")
        .replace(invisible, "")
        .replace(/(?![0-9])\p{Nd}/gu, asciiDigit);

/** Malformed parts stay as they are. */
const decoded = (text: string): string =>
  text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (encoded) => Buffer.from(encoded.replaceAll("%", ""), "hex").toString("utf8"));

/**
 * The forms of a text to search: without invisible marks, with the digits of every script as ASCII and full-width signs
 * as plain ones; for a link also without its encodings.
 */
export function foldedForms(text: string): string[] {
  const forms = new Set([foldedText(text)]);
  if (!isAscii(text)) forms.add(text.normalize("NFC"));
  for (let form = text, turn = 0; turn < 2 && /%[0-9a-f]{2}/i.test(form); turn++) {
    form = decoded(form);
    forms.add(foldedText(form));
  }
  // in links `+` may stand for a blank
  for (const form of [...forms]) if (/\d\+\d/.test(form)) forms.add(form.replaceAll("+", " "));
  return [...forms];
}

export interface DigitGroup {
  digits: string;
  /** in the text, in UTF-16 units; `start` includes a `+` and brackets in front */
  start: number;
  end: number;
  /** whether only what people write within a number stands between this group and the one before */
  joined: boolean;
  /** whether a number may begin here: not in an id, and not within a number that began with `+` */
  begins: boolean;
}

const between = /^[\s\p{Pd}\p{Ps}\p{Pe}./\\~∼⁓⁄−ー·•'*]{0,6}$/u;

const cameBefore = /[\p{L}\p{N}_]$|[\p{L}\p{N}_]-$/u;
/** digits of the shortest number with its country's code */
const leastAbroad = 7;

/** The groups of digits of a folded text, in order. */
export function digitGroups(text: string): DigitGroup[] {
  const groups: DigitGroup[] = [];
  let last = 0;
  /** digits since a `+`; null: there was none in this row of groups */
  let abroad: number | null = null;
  for (const match of text.matchAll(/[+(]{0,3}[0-9]+/g)) {
    const [found] = match;
    const end = match.index + found.length;
    const isPlus = found.includes("+");
    const joined = groups.length > 0 && !isPlus && between.test(text.slice(last, match.index));
    const digits = found.replaceAll(/\D/g, "");
    if (isPlus || !joined) abroad = isPlus ? 0 : null;
    const isWithin = abroad !== null && abroad > 0 && abroad < leastAbroad;
    const begins = !isWithin && !cameBefore.test(text.slice(Math.max(0, match.index - 3), match.index));
    groups.push({ digits, start: match.index, end, joined, begins });
    if (abroad !== null) abroad += digits.length;
    last = end;
  }
  return groups;
}
