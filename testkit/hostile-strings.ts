/**
 * Texts that have broken other programs, for every field that takes text: characters that terminate, hide or reorder
 * text or cannot be stored, syntax of other languages (SQL, HTML, templates, shells, formulas), what looks like a
 * number, a date or nothing, and long texts. Each alone, inside another text, doubled and between blanks.
 */

const codes = (...points: number[]): string[] => points.map((point) => String.fromCodePoint(point));
const range = (from: number, to: number): string[] =>
  codes(...Array.from({ length: to - from + 1 }, (_, index) => from + index));

const characters = [
  ...range(0x00, 0x1f),
  ...codes(0x7f, 0x85, 0xa0, 0xad),
  // zero width, line separators, direction marks, joiners, a byte-order mark and a noncharacter
  ...range(0x200b, 0x200f),
  ...range(0x2028, 0x202e),
  ...range(0x2060, 0x2069),
  ...codes(0xfeff, 0xfffe, 0xffff, 0xfffd, 0xe000, 0x1f600, 0x10ffff, 0xe0001, 0x0301, 0x3164, 0xff1d),
  // lone surrogates
  ...["\ud800", "\udfff", "\udc00\ud800", "\ud83d"],
];

const texts = [
  ...[
    "'",
    '"',
    "`",
    "\\",
    "''",
    "'; DROP TABLE sessions; --",
    "' OR 1=1 --",
    "$1",
    "$$",
    ":name",
    "%s%n%x",
    "%00",
    "%",
  ],
  ...[
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "&lt;&#0;&amp;",
    "]]>",
    "<!--",
    "javascript:alert(1)",
  ],
  ...[
    "{{7*7}}",
    `$${"{7*7}"}`,
    "#{7*7}",
    "<%= 7*7 %>",
    "$(id)",
    "`id`",
    "| id",
    "; id",
    "../../etc/passwd",
    "\\\\host\\x",
    "NUL",
  ],
  ...["=1+1", "+1", "-1", "@SUM(A1)", "=cmd|' /C calc'!A0", "\t=1", "a;=1", "a,b", "a\r\nb", '"=1"', "\uff1d1"],
  ...[
    "null",
    "undefined",
    "NaN",
    "Infinity",
    "-0",
    "1e309",
    "0x10",
    "1_000",
    "1,5",
    "00",
    "true",
    "[]",
    "{}",
    "__proto__",
  ],
  ...["constructor", "toString", "hasOwnProperty", "2026-02-30", "0000-00-00", "1970-01-01T00:00:00Z", "24:60"],
  // normalisation, case folding, scripts
  ...[
    "e\u0301",
    "\u00e9",
    "\u1e9e",
    "\u0130i",
    "\ufb01",
    "\u212b",
    "\u05d0\u05d1",
    "\u0627\u0644",
    "\u4e2d\u6587",
    "\ud55c",
  ],
  ...["\u{1f468}\u200d\u{1f469}\u200d\u{1f467}", "\u{1f1e9}\u{1f1ea}", `Z${"\u0335".repeat(40)}`, "\u0e01\u0e33"],
  ...["a@b.c", "a@b@c", '"a b"@c.de', "a\u0000@b.de", "+49 30 1234567", "+", "\u0661\u0662\u0663", "evt_", "quiz_0"],
  ...["", " ", "x".repeat(200), "x".repeat(201), "\u{1f600}".repeat(5_000), "[".repeat(2_000), "\\u0000", "\\ud800"],
];

const wraps: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `a${text}b`,
  (text) => `${text}${text}`,
  (text) => ` ${text} `,
];

export const hostileStrings: readonly string[] = [
  ...new Set(wraps.flatMap((wrap) => [...characters, ...texts].map(wrap))),
];

/** Each text alone: for fields that are more expensive to test. */
export const bareHostileStrings: readonly string[] = [...new Set([...characters, ...texts])];

/**
 * The stored form of a text from a browser, a shop's message or an import: PostgreSQL stores neither NUL nor lone
 * surrogates.
 */
export const heldText = (text: string): string => text.replaceAll("\u0000", "").toWellFormed();

/** Whether PostgreSQL can store it unchanged. */
export const holdable = (text: string): boolean => text === heldText(text);
