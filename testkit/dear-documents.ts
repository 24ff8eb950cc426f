/**
 * Quiz documents that take the most work for their size, each near a bound on bodies (20,000 fields, 1 MiB) at size 1.
 * `other`: the same with each thing changed, for comparisons.
 */
type Make = (size: number, variant?: "other") => Record<string, unknown>;

const many = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: Math.floor(count) }, (_, index) => make(index));

export const page = (key: string, components: unknown[], more: object = {}) => ({
  ...{ page_key: key, title: "", kind: "question", components },
  ...more,
});

/** Components on as many pages as they need. */
const paged = (components: unknown[]) =>
  many(Math.ceil(components.length / 100), (at) => page(`p${at}`, components.slice(at * 100, at * 100 + 100)));

const option = (at: number, points: object = {}) => ({ option_id: `o${at}`, label: "a", points });
const dimensions = many(100, (at) => ({ dimension_id: `d${at}`, name: "" }));
const choice = (key: string, options: unknown[]) => ({ kind: "choice", component_key: key, question: "", options });
const text = (key: string) => ({ kind: "text", component_key: key, question: "" });
const answered = (key: string) => ({ component_key: key, op: "answered" });
const html = (at: number, html_text: string) => ({ kind: "content", component_key: `h${at}`, html_text });

const documents: Record<string, (size: number) => object> = {
  "formulas that need one another": (size) => {
    const count = Math.floor(4_900 * size);
    const next = (at: number) => (at + 1 === count ? "1" : `f${at + 1}`);
    const formula = (at: number) => ({ kind: "formula", component_key: `f${at}`, label: "", expression: next(at) });
    return { pages: paged(many(count, formula)) };
  },
  "long formulas": (size) => ({
    pages: paged(
      many(49 * size, (at) => ({
        ...{ kind: "formula", component_key: `f${at}`, label: "" },
        expression: many(400, (nth) => `f${at + 1 + (nth % 5)}`)
          .filter((name) => Number(name.slice(1)) < Math.floor(49 * size))
          .concat("1")
          .join("+"),
      })),
    ),
  }),
  "dimensions that only the last options tell apart": (size) => ({
    pages: [
      page("p", [
        ...many(24 * size, (at) =>
          choice(
            `c${at}`,
            many(190, (nth) => option(nth)),
          ),
        ),
        choice(
          "last",
          many(100, (at) => option(at, { [`d${at}`]: 1 })),
        ),
      ]),
    ],
    dimensions,
  }),
  "pages that hide one another": (size) => ({
    pages: many(200, (at) =>
      page(`p${at}`, [text(`t${at}`)], {
        visible_when: at === 199 ? { any: [] } : { all: many(40 * size, () => answered(`t${at + 1}`)) },
      }),
    ),
  }),
  "jumps from everywhere to everywhere": (size) => ({
    pages: many(200, (at) =>
      page(`p${at}`, at === 0 ? [text("t")] : [], { visible_when: at === 0 ? null : answered("t") }),
    ),
    jump_rules: many(500, (at) => ({
      ...{ jump_rule_key: `r${at}`, source_page_key: `p${at % 200}`, target_page_key: `p${(at * 7) % 3}` },
      when: { any: many(15 * size, () => answered("t")) },
    })),
  }),
  "conditions about the last of many options": (size) => ({
    pages: [
      page("p", [
        choice(
          "c",
          many(200, (at) => option(at)),
        ),
      ]),
      ...many(8 * size, (at) =>
        page(`q${at}`, [], {
          visible_when: {
            any: many(85, () => ({ component_key: "c", op: "in", option_ids: many(200, () => "o199") })),
          },
        }),
      ),
    ],
  }),
  "deep conditions": (size) => {
    let when: object = answered("t");
    for (let depth = 0; depth < 18; depth += 1) when = { any: [when, { all: [] }] };
    const jump = (at: number) => ({ jump_rule_key: `r${at}`, source_page_key: "p", target_page_key: "p", when });
    const asking = many(180 * size, (at) => page(`q${at}`, [], { visible_when: when }));
    return { pages: [page("p", [text("t")]), ...asking], jump_rules: many(250 * size, jump) };
  },
  "product blocks": (size) => ({
    pages: paged(
      many(19 * size, (at) => ({
        ...{ kind: "products", block_key: `b${at}`, source: "winner" },
        products: many(250, (nth) => ({ product_id: `p${nth}`, variant_id: null, when: null, dimension_id: "d0" })),
      })),
    ),
    dimensions,
  }),
  "texts with many elements": (size) => ({
    pages: paged(many(50 * size, (at) => html(at, "<p>a</p>".repeat(2_490)))),
  }),
  "texts with elements to remove": (size) => ({
    pages: paged(many(50 * size, (at) => html(at, "<b>a</b>".repeat(2_490)))),
  }),
  "many small things": (size) => ({ pages: paged(many(6_500 * size, (at) => html(at, ""))) }),
  "many questions": (size) => ({ pages: paged(many(6_500 * size, (at) => text(`t${at}`))) }),
  "no document at all": (size) => ({ pages: many(200, () => many(400 * size, () => 1)) }),
};

const other = (document: object): Record<string, unknown> =>
  JSON.parse(
    JSON.stringify(document)
      .replaceAll('"label":"', '"label":"x')
      .replaceAll('"question":""', '"question":"y"')
      .replaceAll('"answered"', '"not_answered"')
      .replaceAll('"html_text":""', '"html_text":"z"'),
  );

export const dearDocuments: ReadonlyMap<string, Make> = new Map(
  Object.entries(documents).map(([name, make]) => [
    name,
    (size, variant) => (variant === "other" ? other(make(size)) : { ...make(size) }),
  ]),
);

/** A document about which the lint has the most to say. */
export const withFindings: Make = (size, variant) => {
  const block = (at: number) => ({
    ...{ kind: "products", block_key: `b${at}`, source: "winner", limit: variant ? 2 : 1 },
    products: [{ product_id: "p", dimension_id: "d0" }],
  });
  return { pages: paged(many(2_500 * size, block)), dimensions };
};
