import fc from "fast-check";
import type { ProfileSearch, SearchTerm } from "../contract/search.ts";
import { enterCauses } from "../contract/storefront.ts";
import { bounds, type Component, type Page, type QuizDocument } from "../engine/document.ts";
import { shopOrder } from "./commerce.ts";
import { eventId } from "./histories.ts";

/** Documents, events, orders and searches at the limits of what is accepted, and slightly beyond. */

export const currencies = ["VND", "JPY", "KWD", "USD", "ISK"] as const;

/** Numbers stored by programs that had no bounds for them. */
export const storedNumbers = [0, 5e-324, -5e-324, 1e300, -1e300, 1.7e308, -1.7e308, 1e16, 0.1];

const odd = [
  "\u0000",
  "nul\u0000inside",
  "\ud800 half",
  "مرحبا بالعالم \u202e",
  "=1+1",
  "\t=HYPERLINK(1)",
  'say "hi", it\'s\r\nme; \u2028',
  "😀".repeat(40),
  "x".repeat(10_000),
  " ",
];
const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...odd) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 60 }) },
);
const title = text.map((value) => `t${value.replaceAll("\u0000", "").toWellFormed()}`.slice(0, 200));
const point = fc.constantFrom(0, 1, -1, 0.1, bounds.points, -bounds.points);
const dimensionIds = ["d1", "d".repeat(bounds.key), "d'3\""];
const keyOf = (place: string, long: boolean): string => (long ? place.padEnd(bounds.key, "k") : place);

const choice = (component_key: string, kind: "choice" | "image", many: boolean): fc.Arbitrary<Component> =>
  fc
    .array(fc.record({ label: title, points: fc.array(point, { minLength: 3, maxLength: 3 }) }), {
      minLength: many ? bounds.options : 1,
      maxLength: many ? bounds.options : 4,
    })
    .map((options) => ({
      kind,
      component_key,
      question: "Which?",
      required: false,
      multiple: true,
      options: options.map(({ label, points }, index) => ({
        option_id: keyOf(`o${index}`, index === 0),
        label,
        image_url: null,
        points: Object.fromEntries(dimensionIds.map((id, place) => [id, points[place] ?? 0])),
      })),
    }));

const asked = { question: "?", required: false };
const expressions = ["n * n * n", "1 / n", "n * 1000000000000 * n", "max(n, -n) - 0.1", "abs(n) / 3"];

function page(index: number, long: boolean): fc.Arbitrary<Page> {
  const key = (name: string) => keyOf(`${name}${index}`, long);
  const number = `n${index}`;
  const components: fc.Arbitrary<Component[]> = fc.tuple(
    choice(key("c"), "choice", long),
    choice(key("i"), "image", false),
    fc.constant({ kind: "text", component_key: key("t"), ...asked, max_length: bounds.maxLength }),
    fc.constantFrom(1e-9, 0.001, 1, bounds.number).map((step) => ({
      ...{ kind: "number" as const, component_key: number, ...asked, min: null, max: null, step },
      ...{ unit: null, style: "field" as const },
    })),
    fc.boolean().map((with_time) => ({ kind: "date" as const, component_key: key("when"), ...asked, with_time })),
    fc.constant({ kind: "email", component_key: key("e"), ...asked, consent: { label: "News", required: false } }),
    fc.constant({ kind: "phone", component_key: key("p"), ...asked, consent: null }),
    fc.constantFrom(...expressions).map((expression) => ({
      ...{ kind: "formula" as const, component_key: key("f"), label: "f" },
      expression: expression.replaceAll("n", number).replaceAll(`mi${number}`, "min"),
    })),
    fc.constant({ kind: "products", block_key: key("b"), source: "winner", limit: 1_000, products: [] }),
  ) as fc.Arbitrary<Component[]>;
  return fc
    .record({ title, kind: fc.constantFrom("question" as const, "result" as const), components })
    .map((given) => ({
      page_key: key("page"),
      skippable: true,
      visible_when: null,
      ...given,
    }));
}

/** A few pages with everything, and the maximum number of empty ones. */
export const extremeDocument: fc.Arbitrary<QuizDocument> = fc
  .tuple(page(1, true), page(2, false), page(3, false))
  .map((pages) => ({
    pages: [
      ...pages,
      ...Array.from({ length: bounds.pages - pages.length }, (_, index): Page => {
        const page_key = `empty${index}`;
        return { page_key, title: "", kind: "content", skippable: true, visible_when: null, components: [] };
      }),
    ],
    jump_rules: [],
    dimensions: dimensionIds.map((dimension_id) => ({ dimension_id, name: "N".repeat(bounds.key) })),
    property_mappings: [],
  }));

const numbers = fc.oneof(
  fc.constantFrom(0, -0, 1e12, -1e12, 1e-9, -1e-9, 5e-324, 1e300, -1e300, 0.1 + 0.2, 1e12 - 0.1),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const dates = fc.record({
  date: fc.constantFrom("0001-01-01", "9999-12-31", "1969-12-31", "2024-02-29", "0000-01-01", "2026-02-30"),
  time: fc.constantFrom(null, "00:00", "23:59", "24:00", "x".repeat(20)),
});
const contacts = fc.constantFrom("ANN@Example.com ", "a@b", "+84 90 123 45 67", "+49 110", "=cmd()", "x".repeat(300));

function answerOf(component: Component): fc.Arbitrary<object> {
  switch (component.kind) {
    case "choice":
    case "image":
      return fc.subarray(component.options.map(({ option_id }) => option_id)).map((option_ids) => ({ option_ids }));
    case "number":
      return numbers.map((value) => ({ value }));
    case "date":
      return dates.map((value) => ({ value }));
    case "email":
    case "phone":
      return fc.record({ value: contacts, consent: fc.constantFrom(true, false, null) });
    default:
      return text.map((value) => ({ value }));
  }
}

const ids = fc.constantFrom("gid://shopify/Product/1", "gid://shopify/Product/2", "'", "p".repeat(200), "\u0000", "😀");

export interface SentEvents {
  session: object;
  events: object[];
}

/** The events of one session, as a browser might send them: half a minute apart, ending now. */
export function extremeEvents(document: QuizDocument, now: number, number: number): fc.Arbitrary<SentEvents> {
  const event = (of: Page): fc.Arbitrary<object> => {
    const { page_key } = of;
    const answers = of.components.filter(({ kind }) => kind !== "products" && kind !== "formula" && kind !== "content");
    const saved = answers.map((one) =>
      answerOf(one).map((given) => {
        const component_key = "component_key" in one ? one.component_key : "";
        return { type: "answer_saved", page_key, component_key, ...given };
      }),
    );
    const shown = fc
      .array(fc.record({ product_id: ids, position: fc.constantFrom(0, 100_000, null) }), { maxLength: 20 })
      .map((products) => ({ type: "products_shown", page_key, block_key: blockOf(of), products }));
    const added = fc.record({ product_id: ids, quantity: fc.constantFrom(1, 2_147_483_647, 0) });
    const entered = fc.constantFrom(...enterCauses).map((cause) => ({ type: "page_entered", page_key, cause }));
    return fc.oneof(
      { weight: 6, arbitrary: fc.oneof(...saved) },
      { weight: 3, arbitrary: entered },
      { weight: 1, arbitrary: shown },
      { weight: 1, arbitrary: added.map((given) => ({ type: "product_added", variant_id: null, ...given })) },
      { weight: 1, arbitrary: fc.constant({ type: "quiz_finished", page_key }) },
    );
  };
  const pages = document.pages.filter(({ components }) => components.length > 0);
  const script = fc.array(fc.oneof(...pages.map(event)), { minLength: 30, maxLength: 60 });
  const utm = fc.record({ source: text, medium: text, campaign: text, content: text, term: text });
  const session = fc.record({
    channel: fc.constantFrom("online_store", "a".repeat(32), "0"),
    placement: text.map((value) => value.slice(0, 100)),
    page_url: fc.constantFrom("https://shop.example/?q=1", "not a url", "https://ü.example/\u202e"),
    referrer: fc.constantFrom("https://r.example/x", "android-app://x", "//"),
    utm: utm.map((given) =>
      Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value.slice(0, 200)])),
    ),
  });
  return fc.tuple(script, session, fc.boolean()).map(([events, facts, finished]) => ({
    session: facts,
    events: [
      { type: "quiz_opened" },
      ...events,
      ...(finished ? [{ type: "quiz_finished", page_key: pages.at(-1)?.page_key }] : []),
    ].map((one, index, all) => ({
      id: eventId(number * 1_000 + index),
      seq: index,
      at: new Date(now - (all.length - index) * 20_000).toISOString(),
      ...one,
    })),
  }));
}

const blockOf = ({ components }: Page): string =>
  components.flatMap((one) => (one.kind === "products" ? [one.block_key] : []))[0] ?? "none";

const amounts = fc.constantFrom(
  "999999999999999",
  "999999999999999.9999999999",
  "0",
  "-1.005",
  "0.001",
  "922337203685478",
);

export function extremeOrder(id: number, now: number): fc.Arbitrary<object> {
  const line = fc.record({
    price: amounts,
    quantity: fc.constantFrom(0, 1, 2_147_483_647),
    total_discount: fc.constantFrom("0.00", "-999999999999999", "999999999999999"),
    product_id: fc.constantFrom(null, 1, 2, 9_007_199_254_740_991),
    title: title.map((value) => value.slice(0, 250)),
    properties: fc.nat(8).map((n) => [{ name: "_quiz_session", value: `sess_${n.toString(16).padStart(32, "0")}` }]),
  });
  return fc
    .record({
      lines: fc.oneof(
        fc.array(line, { maxLength: 3 }),
        line.map((one) => Array.from({ length: 250 }, () => one)),
      ),
      currency: fc.constantFrom(...currencies),
      total_price: amounts,
      email: contacts,
      phone: contacts,
    })
    .map((given) => shopOrder(id, now, given));
}

export const extremeProduct = (id: number): fc.Arbitrary<object> =>
  fc.record({ title, handle: title, price: amounts }).map(({ price, ...given }) => ({
    id: id % 3 === 0 ? "18446744073709551615" : id,
    ...given,
    updated_at: "2026-03-10T11:00:00Z",
    variants: Array.from({ length: 100 }, (_, index) => ({ id: id * 1_000 + index + 1, title: given.title, price })),
  }));

/** Terms of every kind about the first pages' questions, alone and combined. */
export function extremeSearches(quiz_id: string, { pages }: QuizDocument): ProfileSearch[] {
  const [first] = pages;
  const page_key = first?.page_key ?? "";
  const keyOfKind = (kind: Component["kind"]) =>
    (first?.components ?? []).flatMap((one) =>
      one.kind === kind && "component_key" in one ? [one.component_key] : [],
    )[0];
  const of = (kind: Component["kind"]) => ({ quiz_id, page_key, component_key: keyOfKind(kind) ?? "" });
  const terms: SearchTerm[] = [
    {
      ...of("choice"),
      kind: "choice",
      op: "in",
      option_ids: [keyOf("o0", true), "o1", "\u0000"],
      option_labels: ["t"],
    },
    { ...of("choice"), kind: "choice", op: "not_in", option_ids: ["o1"] },
    { ...of("number"), kind: "number", op: "between", min: -1e300, max: 1e300 },
    { ...of("number"), kind: "number", op: "eq", value: 5e-324 },
    { ...of("date"), kind: "date", op: "between", min: "0001-01-01", max: "9999-12-31" },
    { ...of("text"), kind: "text", op: "contains", value: "\ud800" },
    { ...of("text"), kind: "text", op: "matches", value: '= "hi" مرحبا' },
    { ...of("email"), kind: "email", op: "answered" },
    { ...of("phone"), kind: "phone", op: "not_answered" },
    { quiz_id, kind: "points", op: "gt", dimension_id: dimensionIds[1] ?? "", value: -1e300 },
    { ...of("formula"), kind: "formula", op: "lt", value: 1e300 },
    { quiz_id, kind: "winner", op: "in", option_ids: dimensionIds },
    { quiz_id, kind: "session", op: "equals", value: "abandoned", page_key },
  ];
  return [
    {},
    { from: "0001-01-01", to: "9999-12-31", has_email: true },
    ...terms.map((term) => ({ groups: [{ all: [term] }] })),
    { groups: [{ all: [{ any: terms }, { any: terms.slice(0, 3) }] }] },
  ];
}
