import type { QuizDocument } from "../../engine/document.ts";

/** Explains quiz documents to a model by a valid example: a test checks it as a whole document. */

const example: QuizDocument = {
  pages: [
    {
      page_key: "skin",
      title: "Your skin",
      kind: "question",
      skippable: false,
      visible_when: null,
      components: [
        {
          kind: "choice",
          component_key: "feel",
          question: "How does your skin feel?",
          required: true,
          multiple: false,
          options: [
            { option_id: "dry", label: "Dry", image_url: null, points: { hydrate: 3 } },
            { option_id: "oily", label: "Oily", image_url: null, points: { clear: 3 } },
          ],
        },
        {
          kind: "number",
          component_key: "age",
          question: "How old are you?",
          required: false,
          min: 0,
          max: 120,
          step: 1,
          unit: "years",
          style: "field",
        },
      ],
    },
    {
      page_key: "contact",
      title: "Where shall we send it?",
      kind: "question",
      skippable: true,
      visible_when: { component_key: "feel", op: "in", option_ids: ["dry"] },
      components: [
        {
          kind: "email",
          component_key: "email",
          question: "Your email",
          required: false,
          consent: { label: "Send me news", required: false },
        },
      ],
    },
    {
      page_key: "result",
      title: "Made for you",
      kind: "result",
      skippable: false,
      visible_when: null,
      components: [
        { kind: "content", component_key: "words", html_text: "<p>We put together what fits.</p>" },
        { kind: "formula", component_key: "years", label: "Years to 100", expression: "100 - age" },
        {
          kind: "products",
          block_key: "best",
          source: "winner",
          limit: 3,
          products: [
            { product_id: "gid://shopify/Product/1", variant_id: null, when: null, dimension_id: "hydrate" },
            { product_id: "gid://shopify/Product/2", variant_id: null, when: null, dimension_id: "clear" },
          ],
        },
      ],
    },
  ],
  jump_rules: [
    {
      jump_rule_key: "oily_skips",
      source_page_key: "skin",
      when: { component_key: "feel", op: "eq", value: "oily" },
      target_page_key: "result",
    },
  ],
  dimensions: [
    { dimension_id: "hydrate", name: "Moisture" },
    { dimension_id: "clear", name: "Clarity" },
  ],
  property_mappings: [{ component_key: "feel", property_name: "skin", option_values: { dry: "Dry skin" } }],
};

export const documentFormat = {
  example,
  paths: [
    "/pages/skin/title",
    "/pages/skin/components/feel/options/dry/label",
    "/dimensions/hydrate/name",
    "/jump_rules/oily_skips/when",
    "/presentation/theme",
  ],
  rules: [
    "Keys (page_key, component_key, option_id, ...) are unique texts of yours; once a version was saved a key keeps its kind.",
    "Pages: question, content, or result. A quiz ends on a result page. Pages follow in their order; jump_rules lead elsewhere, the first that holds wins.",
    "Components: choice, image (options with image_url, https), text, email, phone, number, date, formula, content (a little HTML), products.",
    "choice and image may have style (list, chips, or dropdown for a single choice), min_choices and max_choices (with multiple), shuffle; their options exclusive (cannot be chosen with others) and other (with a text field; one a question). number: style field, slider or rating (2 to 11 values; icon star, heart or number; min_label, max_label). formula: unit, decimals.",
    "Conditions: {all:[...]}, {any:[...]}, {not:...}; choice and image: in, not_in (option_ids), eq (value: an option_id); number, date: eq, lt, gt (value), between (min, max); text: eq; all: answered, not_answered.",
    'Conditions on results: {kind:"winner", op: in or not_in, dimension_ids, rank (1 to 5, optional)}; {kind:"points", dimension_id (null: all), op: eq, lt, gt (value) or between (min, max)}; {kind:"formula", component_key, op: the same, answered or not_answered}. Components may have visible_when too; a result page outcome {dimension_id}.',
    "A date may have min and max (YYYY-MM-DD, today, today+Nd or today-Nd), weekdays [1 (Monday) to 7], and with with_time: true time_from and time_to (HH:MM).",
    "Points of the options chosen add up by dimension; the dimension with most wins. Products with source winner show those of the winner's dimension_id, fixed all of them, answers those whose when holds.",
    "Products with source rules come from the catalog when they are shown, instead of products: from (a selector or null), rules [{rule_key, when, match: a selector, effect: include, exclude or score, score}], limit to 24. A selector has any of tags_any, tags_all, tags_none, vendors, product_types, collections, product_ids, options {name: [values]}, price {min, max}.",
    "Product ids come from read_products, or from the person whom you work for; never make one up.",
    "presentation (optional): locale, dir, theme {scheme, accent, background, surface, text, radius, font, width}, progress, advance, texts.",
  ],
};
