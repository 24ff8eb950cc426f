import type { Page } from "playwright-core";
import type { ChoiceComponent, Condition, JumpRule, QuizDocument } from "../engine/document.ts";
import type { Finding } from "../engine/lint.ts";
import {
  choice,
  chosen,
  content,
  date,
  formula,
  jumpWhere,
  number,
  option,
  page,
  pick,
  products,
  quizDocument,
  text,
} from "./document-parts.ts";
import { choiceCases } from "./lint-choice-cases.ts";
import { choose, click, press, write } from "./lint-mends.ts";
import { resultCases } from "./lint-result-cases.ts";

/**
 * For each of the lint's codes: documents that have it, and how somebody fixes it after its link has led them to the
 * field.
 */
export interface LintCase {
  document: QuizDocument;
  path: string;
  /** where the focus goes, if not to that field itself */
  field?: string;
  /** an earlier version of the quiz */
  earlier?: QuizDocument;
  /** causes the finding, if the document alone does not */
  before?: (on: Page) => Promise<void>;
  mend: (on: Page) => Promise<void>;
}

const quiz = (pages: QuizDocument["pages"], more: Partial<QuizDocument> = {}) => quizDocument(pages, more);
const skin = (more: Partial<ChoiceComponent> = {}) => choice("feel", [option("dry"), option("oily")], more);
const always = (jump_rule_key: string, source_page_key: string, target_page_key: string): JumpRule => ({
  jump_rule_key,
  source_page_key,
  when: { all: [] },
  target_page_key,
});
const three = [page("a", []), page("b", []), page("c", [])];
const calm = { dimension_id: "calm", name: "Calm" };
const wild = { dimension_id: "wild", name: "Wild" };
const scored = choice("feel", [option("dry", { points: { calm: 1 } }), option("oily", { points: { wild: 1 } })]);
const asks = (visible_when: Condition) => quiz([page("a", [skin()]), page("b", [], { visible_when })]);

const duplicates: LintCase[] = [
  { document: quiz([page("a", []), page("a", [])]), path: "pages.1.page_key", mend: write("b") },
  {
    document: quiz([page("a", [text("x")]), page("b", [number("x")])]),
    path: "pages.1.components.0.component_key",
    mend: write("y"),
  },
  {
    document: quiz([page("a", [text("x"), text("x")])]),
    path: "pages.0.components.1.component_key",
    mend: write("y"),
  },
  {
    document: quiz([page("a", [products("p", [1]), products("p", [2])], { kind: "result" })]),
    path: "pages.0.components.1.block_key",
    mend: write("q"),
  },
  {
    document: quiz([page("a", [choice("feel", [option("x"), option("y"), option("x")])])]),
    path: "pages.0.components.0.options.2.option_id",
    mend: write("z"),
  },
  {
    document: quiz([page("a", [scored])], { dimensions: [calm, wild, { ...calm, name: "Calmer" }] }),
    path: "dimensions.2.dimension_id",
    mend: write("calmer"),
  },
  {
    document: quiz(three, { jump_rules: [always("j", "a", "c"), always("j", "b", "c")] }),
    path: "jump_rules.1.jump_rule_key",
    mend: write("k"),
  },
];

const references: LintCase[] = [
  {
    document: asks({ component_key: "gone", op: "answered" }),
    path: "pages.1.visible_when.component_key",
    mend: choose("feel?"),
  },
  {
    document: asks(chosen("feel", "dry", "gone")),
    path: "pages.1.visible_when.option_ids.1",
    mend: press("Space"),
  },
  {
    document: asks({ not: { any: [{ component_key: "feel", op: "eq", value: "gone" }] } }),
    path: "pages.1.visible_when.not.any.0.value",
    mend: choose("dry"),
  },
  {
    document: quiz(three, { jump_rules: [always("j", "gone", "c")] }),
    path: "jump_rules.0.source_page_key",
    mend: choose("1. a"),
  },
  {
    document: quiz(three, { jump_rules: [jumpWhere("j", ["a", "gone"], "gone", "x")] }),
    path: "jump_rules.0.target_page_key",
    mend: choose("3. c"),
  },
  {
    document: quiz([page("a", [choice("feel", [option("dry", { points: { gone: 2 } })])])]),
    path: "pages.0.components.0.options.0.points.gone",
    mend: write(""),
  },
  {
    document: quiz([page("a", [scored]), page("r", [products("p", [pick("1", { dimension_id: "gone" })])])], {
      dimensions: [calm, wild],
    }),
    path: "pages.1.components.0.products.0.dimension_id",
    mend: choose("Calm"),
  },
  {
    document: quiz([
      page("a", [skin()]),
      page("r", [products("p", [pick("1", { when: chosen("gone", "x") })], { source: "answers" })]),
    ]),
    path: "pages.1.components.0.products.0.when.component_key",
    mend: choose("feel?"),
  },
  {
    document: quiz([page("a", [number("age"), formula("f", "F", "agee * 2")])]),
    path: "pages.0.components.1.expression",
    mend: write("age * 2"),
  },
  {
    document: quiz([page("a", [skin()])], { property_mappings: [{ component_key: "gone", property_name: "skin" }] }),
    path: "property_mappings.0.component_key",
    mend: press("Enter"),
  },
  {
    document: quiz([page("a", [skin()])], {
      property_mappings: [
        { component_key: "feel", property_name: "skin" },
        { component_key: "feel", property_name: "feeling", option_values: { gone: "x" } },
      ],
    }),
    path: "property_mappings.1.option_values.gone",
    mend: write(""),
  },
];

const reused: LintCase[] = [
  {
    earlier: quiz([page("a", [text("x")])]),
    document: quiz([page("a", [], { kind: "content" })]),
    path: "pages.0.page_key",
    mend: write("b"),
  },
  {
    earlier: quiz([page("a", [text("x")])]),
    document: quiz([page("a", [number("x")])]),
    path: "pages.0.components.0.component_key",
    mend: write("y"),
  },
  {
    earlier: quiz([page("a", [text("calm")])]),
    document: quiz([page("a", [scored])], { dimensions: [calm, wild] }),
    path: "dimensions.0.dimension_id",
    mend: write("calmer"),
  },
];

const past = quiz([page("a", []), page("b", [text("why", { required: true })]), page("c", [])], {
  jump_rules: [always("j", "a", "c")],
});

const ways = {
  no_pages: [{ document: quiz([]), path: "pages", mend: click("Text page") }],
  never_visible: [
    {
      document: quiz([page("a", []), page("b", [], { visible_when: { any: [] } })]),
      path: "pages.1",
      mend: click("Remove the whole condition"),
    },
  ],
  unreachable_page: [
    {
      document: past,
      path: "pages.1",
      mend: async (on) => {
        await click("Jump 1 leads past it")(on);
        await choose("2. b", '[data-field="jump_rules.0.target_page_key"]:focus')(on);
      },
    },
    {
      document: quiz([page("a", [], { kind: "result" }), page("b", [])]),
      path: "pages.1",
      mend: async (on) => {
        await click("The quiz ends on page 1")(on);
        await choose("Question page", '[data-field="pages.0.kind"]:focus')(on);
      },
    },
  ],
  required_never_asked: [
    { document: past, path: "pages.1.components.0", mend: (on) => on.getByLabel("Must be answered").uncheck() },
  ],
  asks_later_page: [
    {
      document: quiz([page("a", [], { visible_when: chosen("feel", "dry") }), page("b", [skin()])]),
      path: "pages.0.visible_when",
      mend: click("Remove this part"),
    },
  ],
  depends_on_itself: [
    {
      document: quiz([page("a", [scored], { visible_when: { kind: "winner", op: "in", dimension_ids: ["calm"] } })], {
        dimensions: [calm, wild],
      }),
      path: "pages.0.visible_when",
      mend: click("Remove this part"),
    },
  ],
  jump_loop: [
    {
      document: quiz(three, { jump_rules: [always("j", "b", "a")] }),
      path: "jump_rules.0",
      mend: choose("3. c", '[data-field="jump_rules.0.target_page_key"]'),
    },
  ],
  jump_rule_never_used: [
    {
      document: quiz(three, { jump_rules: [always("j", "a", "b"), always("k", "a", "c")] }),
      path: "jump_rules.1",
      mend: choose("2. b", '[data-field="jump_rules.1.source_page_key"]'),
    },
  ],
  ends_without_result: [
    {
      document: quiz([page("a", [skin()]), page("r", [], { kind: "result", visible_when: chosen("feel", "dry") })]),
      path: "pages.0",
      mend: click("Add a result for everybody else"),
    },
  ],
} satisfies Partial<Record<Finding["code"], LintCase[]>>;

const nameless = quiz([page("a", [choice("feel", [option("x", { label: " " })])])]);
const parts = {
  choice_without_options: [
    {
      document: quiz([page("a", [choice("feel", [], { required: true })])]),
      path: "pages.0.components.0.options",
      mend: click("Add an option"),
    },
  ],
  option_without_text: [{ document: nameless, path: "pages.0.components.0.options.0.label", mend: write("Dry") }],
  slider_without_bounds: [
    {
      document: quiz([page("a", [number("age", { style: "slider" })])]),
      path: "pages.0.components.0",
      mend: async (on) => {
        await on.getByLabel("Minimum").fill("0");
        await on.getByLabel("Maximum").fill("9");
      },
    },
  ],
  no_day_allowed: [
    {
      document: quiz([page("a", [date("when", { min: "2026-11-30", max: "2026-12-01", weekdays: [7] })])]),
      path: "pages.0.components.0",
      mend: (on) => on.getByLabel("Monday").check(),
    },
  ],
  dimension_cannot_win: [
    {
      document: quiz([page("a", [choice("feel", [option("dry", { points: { calm: 1 } }), option("oily")])])], {
        dimensions: [calm, wild],
      }),
      path: "dimensions.1",
      field: "dimensions.1.name",
      mend: (on) => on.locator('[data-cell="1 1"]').fill("2"),
    },
  ],
  dimension_without_products: [
    {
      document: quiz(
        [
          page("a", [scored]),
          page("r", [
            products("p", [pick("1", { dimension_id: "calm" }), pick("2", { dimension_id: "calm" })], {
              source: "winner",
            }),
          ]),
        ],
        { dimensions: [calm, wild] },
      ),
      path: "pages.1.components.0.products",
      mend: choose("Wild", '[data-field="pages.1.components.0.products.1.dimension_id"]'),
    },
  ],
  product_block_empty: [
    {
      document: quiz([page("r", [products("p", [])])]),
      path: "pages.0.components.0.products",
      mend: async (on) => {
        await click("Choose products")(on);
        await on.getByRole("checkbox").first().check();
        await click("Add 1 product")(on);
      },
    },
  ],
  ambiguous_name: [
    {
      document: quiz([page("a", [number("calm"), scored, formula("f", "F", "calm * 2")])], {
        dimensions: [calm, wild],
      }),
      path: "pages.0.components.2.expression",
      mend: write("wild * 2"),
    },
    {
      document: quiz([page("a", [number("calm"), scored, formula("f", "F", "calm * 2")])], {
        dimensions: [calm, wild],
      }),
      path: "pages.0.components.2.expression",
      mend: async (on) => {
        await click(/^calm/)(on);
        await on.getByLabel("Name in formulas").click();
        await write("calmness")(on);
      },
    },
  ],
  low_contrast: [
    {
      document: quiz([page("a", [])], { presentation: { theme: { text: "#eeeeee", background: "#ffffff" } } }),
      path: "presentation.theme.text",
      mend: write("#111111"),
    },
  ],
  image_without_text: [
    {
      document: quiz([page("a", [choice("feel", [option("x", { label: "", image_url: "https://p.example/a.png" })])])]),
      path: "pages.0.components.0.options.0.image_alt",
      mend: write("A dry cheek"),
    },
    {
      document: quiz([page("a", [text("why")], { title: "", image_url: "https://p.example/a.png" })]),
      path: "pages.0.image_url",
      mend: write(""),
    },
    {
      document: quiz([page("a", [content("hi", '<p>Look</p><p><img src="https://p.example/a.png"></p>')])]),
      path: "pages.0.components.0.html_text",
      mend: write("Look"),
    },
  ],
  html_removed: [
    {
      document: quiz([page("a", [content("hi", "")])]),
      path: "pages.0.components.0.html_text",
      before: async (on) => {
        await click(/Text block/)(on);
        await on.getByLabel("Edit as HTML").check();
        await on.getByLabel("Text", { exact: true }).fill("<p>Hello<script>alert(1)</script></p>");
        await on.getByText("Taken out of this text").waitFor();
        await click(/^1 ?a/)(on);
      },
      mend: write("Hello you"),
    },
  ],
} satisfies Partial<Record<Finding["code"], LintCase[]>>;

export const lintCases: Readonly<Record<Finding["code"], readonly LintCase[]>> = {
  // one example of many: editor-fields.hard.test.ts goes through every field
  invalid: [{ document: quiz([page("a", [], { title: "x".repeat(1_001) })]), path: "pages.0.title", mend: write("A") }],
  duplicate_key: duplicates,
  unknown_reference: references,
  bad_expression: [
    {
      document: quiz([page("a", [formula("f", "F", "1 +")])]),
      path: "pages.0.components.0.expression",
      mend: write("1 + 1"),
    },
    {
      document: quiz([page("a", [formula("f", "F", "g"), formula("g", "G", "f")])]),
      path: "pages.0.components.1.expression",
      mend: write("1"),
    },
  ],
  reused_key: reused,
  ...ways,
  ...choiceCases,
  ...parts,
  ...resultCases,
};
