/**
 * Contacts in the notations that people, programs and devices write, and what each is. Written for these tests after:
 * ITU-T E.123 (02/2001) and E.164 (11/2010), RFC 3966 (tel), RFC 6068 (mailto), RFC 5322 and 6531 (addresses), RFC 5891
 * and UTS 46 (domains), the metadata and FAQ of libphonenumber 9.0 and libphonenumber-js 1.13.16, and the notations in
 * the address books of WhatsApp 2.25, iOS 18 and Android 15. Numbers are the examples of their plans; nobody's.
 */

export interface FieldContact {
  kind: "email" | "phone";
  typed: string;
  /** ISO 3166-1 alpha-2 of the session or address; null: unknown */
  country: string | null;
  /** canonical form */
  value: string;
  /** if it differs from `value` */
  shown?: string;
}

const email = (value: string, ...typed: string[]): FieldContact[] =>
  typed.map((text) => ({ kind: "email", typed: text, country: null, value }));

const phone = (value: string, ...typed: (string | readonly [typed: string, country: string])[]): FieldContact[] =>
  typed.map((each) => {
    const [text, country] = typeof each === "string" ? [each, null] : each;
    return { kind: "phone", typed: text, country, value };
  });

const shownAs = (shown: string, contacts: FieldContact[]): FieldContact[] =>
  contacts.map((contact) => ({ ...contact, shown }));

export const fieldContacts: readonly FieldContact[] = [
  ...email(
    "ada@example.com",
    "ada@example.com,",
    "ada@example.com.",
    "ada@example.com;",
    " Ada@Example.COM\u00a0",
    "\ufeffada@example.com",
    "ada@exam\u00adple.com\u200b",
    "\u202aada@example.com\u202c",
    "ada\u2060@example.com\ufe0f",
    "<ada@example.com>",
    '"ada@example.com"',
    "'ada@example.com'",
    "“ada@example.com”.",
    "„ada@example.com“",
    "‘ada@example.com’",
    "«ada@example.com»",
    "「ada@example.com」",
    "(ada@example.com)",
    "[ada@example.com]",
    "{ada@example.com}",
    "mailto:ada@example.com",
    "MAILTO:ada@example.com?subject=Hello%20there",
    "<mailto:ada@example.com>,",
    "E-Mail: ada@example.com",
    "ａｄａ＠ｅｘａｍｐｌｅ．ｃｏｍ",
    "ada@example。com",
  ),
  ...email("ada+quiz@example.com", "ada+quiz@example.com", "mailto:ada%2Bquiz@example.com"),
  ...email("o'brien@example.com", "o'brien@example.com", "O'Brien@example.com,"),
  ...email("jürgen@bücher.example", "jürgen@bücher.example", "ju\u0308rgen@BU\u0308CHER.example"),
  ...email("ada@bücher.example", "ada@bücher.example", "ada@xn--bcher-kva.example", "Ada@XN--BCHER-KVA.Example."),
  ...email("ada@例え.テスト", "ada@例え.テスト", "ada@xn--r8jz45g.xn--zckzah", "ada@例え。テスト"),
  ...email("ada@faß.example", "ada@faß.example", "ada@xn--fa-hia.example"),
  ...email("ادا@مثال.إختبار", "ادا@مثال.إختبار", "ادا@xn--mgbh0fb.xn--kgbechtv", "\u200fادا@مثال.إختبار\u200f"),
  // DoCoMo gave out such addresses, and they still take mail
  ...email("ada..lovelace.@docomo.example", "ada..lovelace.@docomo.example"),

  ...phone(
    "+491701234567",
    "+49 170 1234567",
    "+49 (0)170 / 123 45 67",
    "(+49) 170 1234567",
    "+49-170-1234567",
    "+49.170.1234567",
    "0049 170 1234567",
    "00 49 170 1234567",
    "+0049 170 1234567",
    "++49 170 1234567",
    "tel:+49-170-1234567",
    "tel:0170-1234567;phone-context=+49",
    "Tel.: +49 170 1234567",
    "<tel:+491701234567>",
    "sms:+491701234567",
    "\u202a+49\u00a0170\u202f1234567\u202c",
    "\ufeff+49 170 1234567.",
    "+49 170 1234567,",
    '"+49 170 1234567"',
    "[+49 170 1234567]",
    "(+491701234567)",
    "＋４９ １７０ １２３４５６７",
    "+٤٩ ١٧٠ ١٢٣٤٥٦٧",
    "+49 170 1234567 ext. 5",
    "tel:+491701234567;ext=5",
    ["0170 1234567", "DE"],
    ["0170/1234567", "de"],
    ["٠١٧٠ ١٢٣٤٥٦٧", "DE"],
    ["०१७० १२३४५६७", "DE"],
    ["0049 170 1234567", "US"],
    ["011 49 170 1234567", "US"],
    ["+49 170 1234567", "MX"],
  ),
  ...phone(
    "+12025550123",
    ["(202) 555-0123", "US"],
    ["1-202-555-0123", "US"],
    ["202.555.0123", "CA"],
    "+1 202 555 0123",
  ),
  ...phone("+442079460958", ["020 7946 0958", "GB"], "+44 (0) 20 7946 0958"),
  ...phone("+79123456789", ["8 (912) 345-67-89", "RU"], "+7 912 345-67-89"),
  ...phone(
    "+525512340001",
    "+52 55 1234 0001",
    "+52 1 55 1234 0001",
    "+5215512340001",
    "tel:+52-1-55-1234-0001",
    "00 52 1 55 1234 0001",
    "+52 044 55 1234 0001",
    ["55 1234 0001", "MX"],
    ["1 55 1234 0001", "MX"],
    ["01 55 1234 0001", "MX"],
    ["044 55 1234 0001", "MX"],
    ["045 55 1234 0001", "MX"],
    ["521 55 1234 0001", "MX"],
    ["011 52 1 55 1234 0001", "US"],
  ),
  ...phone("+541123456789", "+54 11 2345 6789", ["011 2345 6789", "AR"]),
  ...shownAs(
    "+5491123456789",
    phone("+541123456789", "+54 9 11 2345 6789", ["011 15 2345 6789", "AR"], ["11 15-2345-6789", "AR"]),
  ),
  ...phone("+390612345678", "+39 06 1234 5678", ["06 1234 5678", "IT"]),
  ...shownAs("+39612345678", phone("+390612345678", "+39 6 1234 5678")),
  ...phone("+393331234567", "+39 333 123 4567", ["333 1234567", "IT"]),
  ...shownAs("+3903331234567", phone("+393331234567", "+39 0333 123 4567")),
  ...phone("+5511961234567", "+55 11 96123-4567", ["(11) 96123-4567", "BR"], ["0 11 96123-4567", "BR"]),
  ...shownAs("+551161234567", phone("+5511961234567", "+55 11 6123-4567")),
  ...phone("+576012345678", "+57 601 2345678"),
  ...shownAs("+5712345678", phone("+576012345678", "+57 1 2345678")),
  ...phone("+2290190011234", "+229 01 90 01 12 34", "+229 90 01 12 34"),
];

/** Pairs that look alike and are two numbers: their plans assign both. */
export const twoNumbers: readonly (readonly [string, string])[] = [
  // Italy: a landline of Busto Arsizio, and a mobile
  ["+39 0331 1234567", "+39 331 1234567"],
  // Brazil: a landline of São Paulo, and a mobile
  ["+55 11 3123 4567", "+55 11 93123 4567"],
  // Gabon: mobiles from before and after 2019
  ["+241 6 03 12 34", "+241 06 03 12 34"],
];

/** Answers that are no contact, and why. */
export const noContacts: readonly {
  kind: "email" | "phone";
  typed: string;
  country: string | null;
  fault: "email" | "phone" | "country";
}[] = [
  ...[
    "",
    "ada",
    "@example.com",
    "ada@",
    "ada@localhost",
    "ada@@example.com",
    "ada@exam ple.com",
    "ada lovelace@example.com",
    "ada@example..com",
    "ada@-example.com",
    "ada@example-.com",
    "a\u0000da@example.com",
    "Ada <ada@example.com>",
    "ada@example.com, bob@example.com",
    "ada@example.com bob@example.com",
    "[ada@example.com](mailto:ada@example.com)",
    `${"a".repeat(65)}@example.com`,
    `ada@${"b.".repeat(160)}com`,
    `${"<".repeat(1_000)}ada@example.com`,
  ].map((typed) => ({ kind: "email", typed, country: "DE", fault: "email" }) as const),
  ...["0170 1234567", "12345", "(202) 555-0123", "tel:0170-1234567", "٠١٧٠ ١٢٣٤٥٦٧"].flatMap((typed) =>
    [null, "ZZ", "T1"].map((country) => ({ kind: "phone", typed, country, fault: "country" }) as const),
  ),
  ...[
    "",
    "+",
    "12",
    "tel:",
    "call me",
    "my number is +1 (202) 555-0123",
    "+49 170 1234567 after six",
    "+49 170 1234567 (home)",
    "+49 170",
    "+999 170 1234567",
    "+49 170 1234567 +49 170 1234568",
    `+49 ${"1".repeat(30)}`,
    `${"(".repeat(500)}+49 170 1234567`,
  ].map((typed) => ({ kind: "phone", typed, country: "US", fault: "phone" }) as const),
];
