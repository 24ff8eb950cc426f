/** Quiz documents for the journeys. */

const option = (option_id: string, points: Record<string, number> = {}, image_url: string | null = null) => ({
  ...{ option_id, label: `Label of ${option_id}`, image_url, points },
});

const page = (page_key: string, kind: string, components: readonly unknown[], more: Record<string, unknown> = {}) => ({
  ...{ page_key, title: `Title of ${page_key}`, kind, skippable: false, visible_when: null, components, ...more },
});

const choice = (component_key: string, options: readonly unknown[], more: Record<string, unknown> = {}) => ({
  ...{ kind: "choice", component_key, question: `Question ${component_key}?`, required: true, multiple: false },
  ...{ options, ...more },
});

const asked = (kind: string, component_key: string, more: Record<string, unknown>) => ({
  ...{ kind, component_key, question: `Question ${component_key}?`, required: false, ...more },
});

export const email = (component_key = "mail", more: Record<string, unknown> = {}) =>
  asked("email", component_key, { consent: { label: "Send me news", required: false }, ...more });

export const phone = (component_key = "tel", more: Record<string, unknown> = {}) =>
  asked("phone", component_key, { consent: null, ...more });

const contactPage = page("contact", "question", [email(), phone(), email("mail2", { consent: null })]);

const result = (products: readonly unknown[], source = "fixed") =>
  page("result", "result", [{ kind: "products", block_key: "block", source, products, limit: 3 }]);

export const creamId = "gid://shopify/Product/101";
export const oilId = "gid://shopify/Product/102";
export const creamVariant = "gid://shopify/ProductVariant/1011";

const product = (product_id: string, variant_id: string | null, dimension_id: string | null = null) => ({
  ...{ product_id, variant_id, when: null, dimension_id },
});

const skin = choice("skin", [option("oily", { calm: 2 }), option("dry", { glow: 3 }), option("normal")]);
const concernOptions = [option("acne", { calm: 1 }), option("lines", { glow: 1.5 }), option("red")];
const concerns = choice("concerns", concernOptions, { required: false, multiple: true });
const lookOptions = [option("matte", { calm: 1 }, "https://img.example/matte.png"), option("dewy")];
const look = choice("look", lookOptions, { kind: "image", required: false });

/** Every kind of component, two dimensions, a jump rule, a hidden page and a skippable one. */
export const fullQuiz = {
  pages: [
    page("welcome", "content", [{ kind: "content", component_key: "intro", html_text: "<p>Hello</p>" }]),
    page("skin_page", "question", [skin, concerns]),
    page("look_page", "question", [look], { skippable: true }),
    page("oily_page", "question", [asked("text", "routine", { max_length: 500 })], {
      visible_when: { component_key: "skin", op: "in", option_ids: ["oily"] },
    }),
    page("about_page", "question", [
      asked("text", "story", { max_length: 500 }),
      asked("number", "age", { min: 0, max: 120, step: 1, unit: "years", style: "slider" }),
      asked("number", "budget", { min: 0, max: 1000, step: 0.5, unit: null, style: "field" }),
      asked("date", "birth", { with_time: false }),
      asked("date", "visit", { with_time: true }),
      { kind: "formula", component_key: "dose", label: "Dose", expression: "age * 2 + 1" },
      { kind: "formula", component_key: "share", label: "Share", expression: "age / budget" },
    ]),
    contactPage,
    result([product(creamId, creamVariant, "glow"), product(oilId, null, "calm")], "winner"),
  ],
  jump_rules: [
    {
      jump_rule_key: "normal_rule",
      source_page_key: "skin_page",
      when: { component_key: "skin", op: "in", option_ids: ["normal"] },
      target_page_key: "contact",
    },
  ],
  dimensions: [
    { dimension_id: "calm", name: "Calming" },
    { dimension_id: "glow", name: "Glow" },
  ],
  property_mappings: [{ component_key: "skin", property_name: "skin_type" }],
};

const bare = { jump_rules: [], dimensions: [], property_mappings: [] };

/** One required choice, a contact page and a result. */
export const shortQuiz = {
  pages: [
    page("first", "question", [choice("pick", [option("one"), option("two")])]),
    contactPage,
    result([product(creamId, null), product(oilId, null)]),
  ],
  ...bare,
};

/** The later version of `shortQuiz`: without one option, component and page, and with new ones. */
export const shortQuizLater = {
  pages: [
    page("first", "question", [choice("pick", [option("one"), option("three")])], { title: "First, anew" }),
    page("second", "question", [email(), phone()]),
    result([product(creamId, null)]),
  ],
  ...bare,
};

/** Two required questions and no result page. */
export const openEndedQuiz = {
  pages: [
    page("first", "question", [choice("pick", [option("one"), option("two")])]),
    page("last", "question", [choice("also", [option("a"), option("b")]), email()]),
  ],
  ...bare,
};

export const emptyQuiz = { pages: [], ...bare };

/** Refused as a version: a jump to a page that does not exist. */
export const brokenQuiz = {
  ...shortQuiz,
  jump_rules: [
    {
      jump_rule_key: "lost",
      source_page_key: "first",
      when: { component_key: "pick", op: "answered" },
      target_page_key: "nowhere",
    },
  ],
};
