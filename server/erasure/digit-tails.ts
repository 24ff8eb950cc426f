import { domainToASCII, domainToUnicode } from "node:url";

/**
 * How a verification finds contacts of which it knows only hashes [erasure.verify]. It shares nothing with what erasures
 * use, so that it sees what they miss: it reads signs one by one, and at each end of a group of digits tries whether the
 * last ones are a known number, and the digits before them what is dialled before one. Pure.
 */

/** Whether a trait of contacts (`traitsOf`) is known. */
type Known = (trait: string) => boolean;

const shortest = 6;
const longest = 15;
/** more digits than are dialled before a number: for another country, the country, a carrier */
const mostBefore = 9;
/** how many signs may stand within a number, one after the other */
const mostSigns = 8;

/** Values of digits by code point, in all scripts. */
const digitValues = (() => {
  const values = new Map<number, number>();
  let run = 0;
  for (let code = 0x30; code < 0x20000; code++) {
    const isDigit = /^\p{Nd}$/u.test(String.fromCodePoint(code));
    if (isDigit) values.set(code, run % 10);
    run = isDigit ? run + 1 : 0;
  }
  return values;
})();

const isLetter = /^[\p{L}\p{M}\p{N}]$/u;
const isUnseen = /^[\p{Cf}\p{Default_Ignorable_Code_Point}]$/u;
/** Fields and lines end; nobody writes these within a number. */
const endsAll = /^[,;:"'|{}<>\n\r\t@=&]$/;

/** Whether one of the texts holds a known contact. */
export function holdKnown(texts: readonly string[], known: Known): boolean {
  return texts.some((text) => {
    const forms = text.includes("%") ? [text, decodedParts(text)] : [text];
    return forms.some((form) => holdsNumber(form, known) || holdsAddress(form, known));
  });
}

const decodedParts = (text: string): string =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });

/** Digits with nothing between them that ends a number. */
interface Chain {
  digits: string;
  /** begins with `+` */
  isAbroad: boolean;
  /** where groups of digits begin; not those of ids, which follow letters */
  starts: Set<number>;
}

const newChain = (isAbroad = false): Chain => ({ digits: "", isAbroad, starts: new Set() });
const digitOf = (sign: string | undefined): number | undefined => digitValues.get(sign?.codePointAt(0) ?? 0);
const isWord = (sign: string | undefined): boolean => sign !== undefined && (sign === "_" || isLetter.test(sign));

function holdsNumber(text: string, known: Known): boolean {
  const signs = [...text].filter((sign) => sign <= "\x7f" || !isUnseen.test(sign));
  let chain = newChain();
  // an id goes on across hyphens
  let isId = false;
  for (let at = 0, between = 0; at < signs.length; ) {
    const sign = signs[at] ?? "";
    if (digitOf(sign) === undefined) {
      between += 1;
      if (isWord(sign) || endsAll.test(sign) || sign === "+" || between > mostSigns) chain = newChain(sign === "+");
      isId = isWord(sign) || (isId && sign === "-");
      at += 1;
      continue;
    }
    const { length } = chain.digits;
    // within a number with its country's code, no other begins
    if (!isId && (!chain.isAbroad || length === 0 || length > shortest)) chain.starts.add(length);
    for (; digitOf(signs[at]) !== undefined; at += 1) chain.digits += digitOf(signs[at]);
    between = 0;
    if (chain.digits.length > mostKept) chain = shortened(chain);
    const goesOn =
      (isWord(signs[at]) && !/[xX]/.test(signs[at] ?? "")) || (signs[at] === "-" && isOnlyWord(signs[at + 1]));
    if (!goesOn && endsKnown(chain, known)) return true;
  }
  return isShortKnown(signs, known);
}

const isOnlyWord = (sign: string | undefined): boolean => isWord(sign) && digitOf(sign) === undefined;

/** A number that is too short to be told from other numbers counts where it is all that a text says. */
function isShortKnown(signs: readonly string[], known: Known): boolean {
  if (signs.length > 20 || signs.some(isOnlyWord)) return false;
  const digits = signs.map((sign) => digitOf(sign) ?? "").join("");
  const home = digits.replace(/^0+/, "");
  return home.length >= 3 && home.length < shortest && known(`national:${home}`);
}

const mostKept = 100;

/** The last digits of a long chain, so that no text takes longer than others of its length. */
function shortened({ digits, isAbroad, starts }: Chain): Chain {
  const cut = digits.length - (longest + mostBefore);
  return {
    digits: digits.slice(cut),
    isAbroad,
    starts: new Set([...starts].flatMap((at) => (at >= cut ? at - cut : []))),
  };
}

/** What is dialled before a home number: nothing, a prefix for calls within the country or to a mobile. */
const dialledAtHome = /^(?:0\d?|1|8|9|06|15|04[45]|80|0\d{3})$/;
/** and before the code of a country */
const dialledAbroad = /^(?:0{0,3}|0?011|00\d{1,3}|010|001|810|119)$/;

function endsKnown({ digits, starts }: Chain, known: Known): boolean {
  for (let length = shortest; length <= Math.min(longest, digits.length); length++) {
    const from = digits.length - length;
    const tail = digits.slice(from);
    if (tail.startsWith("0")) continue;
    if (known(`national:${tail}`) && isDialled(digits, starts, from, tail, known)) return true;
    // numbers with a short part for calls at home are known by the whole alone
    if (length <= shortest + 3 && known(`phone:+${tail}`) && isDialled(digits, starts, from, "", known)) return true;
  }
  return false;
}

/** Whether the digits before `from`, back to where one of the groups begins, can be dialled before the number. */
function isDialled(digits: string, starts: ReadonlySet<number>, from: number, home: string, known: Known): boolean {
  for (let start = from; start >= Math.max(0, from - mostBefore); start--) {
    if (!starts.has(start)) continue;
    const before = digits.slice(start, from);
    if (before === "" || dialledAtHome.test(before) || dialledAbroad.test(before)) return true;
    if (home !== "" && isCalled(before, home, known)) return true;
  }
  return false;
}

/** Whether the digits before a home number end with its country's code, and perhaps a prefix that is left out abroad. */
function isCalled(before: string, home: string, known: Known): boolean {
  for (let codeAt = 0; codeAt < before.length; codeAt++) {
    if (!dialledAbroad.test(before.slice(0, codeAt))) continue;
    for (let codeEnd = codeAt + 1; codeEnd <= Math.min(codeAt + 3, before.length); codeEnd++) {
      const rest = before.slice(codeEnd);
      if (rest !== "" && !dialledAtHome.test(rest)) continue;
      const code = before.slice(codeAt, codeEnd);
      if (["", "0"].some((zero) => known(`phone:+${code}${zero}${home}`))) return true;
    }
  }
  return false;
}

const longestLocal = 128;
const inLocal = /^[^\s\p{Cc}<>()[\]\\,;:"@＠﹫]$/u;
const inDomain = /^[\p{L}\p{M}\p{N}.。．｡-]$/u;
/** An address may begin behind any other sign. */
const goesOnLeft = /^[\p{L}\p{M}\p{N}._+-]$/u;

function holdsAddress(text: string, known: Known): boolean {
  if (!/[@＠﹫]/.test(text)) return false;
  const signs = [...text].filter((sign) => !isUnseen.test(sign));
  for (const [at, sign] of signs.entries()) {
    if (sign !== "@" && sign !== "＠" && sign !== "﹫") continue;
    let end = at + 1;
    while (end < signs.length && inDomain.test(signs[end] ?? "")) end += 1;
    const domain = signs
      .slice(at + 1, end)
      .join("")
      .replace(/[.。．｡-]+$/u, "");
    const domains = new Set([domainToASCII(domain), domainToUnicode(domain), domain.toLowerCase().normalize("NFC")]);
    for (let start = at - 1; start >= Math.max(0, at - longestLocal) && inLocal.test(signs[start] ?? ""); start--) {
      if (goesOnLeft.test(signs[start - 1] ?? " ")) continue;
      const local = signs.slice(start, at).join("");
      const locals = new Set([local, local.normalize("NFKC")].map((each) => each.toLowerCase().normalize("NFC")));
      for (const name of locals) for (const host of domains) if (known(`email:${name}@${host}`)) return true;
    }
  }
  return false;
}
