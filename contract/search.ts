import { type Static, Type } from "typebox";
import { count, date, described, id, oneOf, page, pageQuery, strict } from "./common.ts";
import { operation } from "./operation.ts";
import { profileSummary } from "./profiles.ts";
import { matchModes, searchLimits, termKinds, termOperators } from "./search-terms.ts";

/** Finds people by any combination of facts and answers; docs/rules/search.md. */

const text = (description: string) => Type.String({ maxLength: searchLimits.text, description });
const key = (description: string) => Type.Optional(text(description));
const options = (description: string) =>
  Type.Optional(
    Type.Array(Type.String({ maxLength: searchLimits.text }), { maxItems: searchLimits.options, description }),
  );
const operand = (description: string) =>
  Type.Optional(
    Type.Unsafe<number | string>({ type: ["number", "string"], maxLength: searchLimits.text, description }),
  );

const termFields = {
  quiz_id: id("quiz", "A quiz of the store, deleted ones included"),
  kind: described("What the term asks about", oneOf(termKinds)),
  op: described("Which operators a kind takes is said under `SearchTerm`", oneOf(termOperators)),
  page_key: key("With component_key: the question or formula. Of `session`: the page that was entered last"),
  component_key: key("The question or formula"),
  dimension_id: key("Of `points`"),
  option_ids: options("Of `choice`: options. Of `winner`: dimensions"),
  option_labels: options("Of `choice`: options by what they are called, in any version; united with option_ids"),
  min: operand("Lower end of `between`, included: a number, or a day of `date`"),
  max: operand("Upper end of `between`, included"),
  value: operand("A number; of `text` a text; of `date` a day; of `session` completed or abandoned"),
  outcome: key(
    "Of `session`, instead of value: the result of its finish, as figures by outcome have it: a dimension's id, or `page:` and the key of a result page without one",
  ),
};

export const searchTerm = Type.Object(termFields, {
  ...strict,
  title: "SearchTerm",
  description:
    "choice: in, not_in (answered, and none of these). number, points, formula: eq, lt, gt, between. date: eq, before, after, between. text: contains, equals, matches (every word, in any order; 200 different words a search), answered, not_answered. email, phone: answered, not_answered (took the quiz and left it open). winner: in. session: equals. Case is ignored in texts. points, formula and winner look at finished sessions only.",
});
export type SearchTerm = Static<typeof searchTerm>;

/**
 * Written as one object rather than a union of two: a validator that tries both alternatives reports the fields of one
 * as missing in the other. The route checks which fields go together.
 */
const searchSlot = Type.Object(
  {
    ...Type.Partial(searchTerm).properties,
    any: Type.Optional(
      Type.Array(searchTerm, {
        minItems: 1,
        maxItems: searchLimits.alternatives,
        description: "Instead of a term's own fields: at least one of these terms holds",
      }),
    ),
  },
  { ...strict, title: "SearchSlot", description: "A term (quiz_id, kind, op and their operands), or `any` alone" },
);
export type SearchSlot = Static<typeof searchSlot>;

const searchGroup = Type.Object(
  { all: Type.Array(searchSlot, { minItems: 1, maxItems: searchLimits.slots, description: "Every slot holds" }) },
  { ...strict, title: "SearchGroup" },
);

const flag = (description: string) => Type.Optional(Type.Boolean({ description }));

export const profileSearch = Type.Object(
  {
    from: Type.Optional(date("First day on which the person started a session, in UTC")),
    to: Type.Optional(date("Last such day, in UTC")),
    quiz_id: Type.Optional(id("quiz", "The quiz of that session; does not restrict the terms")),
    has_email: flag("Has left an email"),
    has_phone: flag("Has left a phone number"),
    has_order: flag("Has an order"),
    has_marketing_consent: flag("Has a contact with consent"),
    is_returning: flag("Came on at least two separate visits"),
    match: Type.Optional(
      oneOf(
        matchModes,
        "any_session (default): each term may hold in another session of its quiz. latest_completed_per_quiz: only the newest finished take of each quiz counts",
      ),
    ),
    groups: Type.Optional(
      Type.Array(searchGroup, {
        maxItems: searchLimits.groups,
        description: "At least one group holds; none given: no restriction",
      }),
    ),
  },
  { ...strict, title: "ProfileSearch" },
);
export type ProfileSearch = Static<typeof profileSearch>;

const searchExplanation = Type.Object(
  {
    filters: count("People who meet the filters beside the groups; everybody where there are none"),
    groups: Type.Array(
      Type.Object({
        people: count("Of those, who meet this group, whatever the other groups ask"),
        all: Type.Array(Type.Object({ people: count("Of those, who meet this slot, whatever the other slots ask") }), {
          description: "In the order of the group's slots",
        }),
      }),
      { description: "In the order of the body's groups" },
    ),
  },
  { title: "SearchExplanation", description: "With `explain=true`: exact, never capped" },
);
export type SearchExplanation = Static<typeof searchExplanation>;

const quizId = "quiz_0198f2c4a1b07c3e9d5f6a7b8c9d0e1f";

export const searchProfiles = operation({
  id: "searchProfiles",
  method: "POST",
  path: "/v1/profiles/search",
  tag: "People",
  summary: "Search people by facts and answers",
  description:
    "Last seen first. Send the same body with every page. What was captured, changed or erased before the request is found so. A search that runs longer than 10 seconds answers 422 with `export`, the export request for the same people.",
  scope: "profiles:read",
  cost: "search",
  query: Type.Object({
    ...pageQuery,
    explain: Type.Optional(
      Type.Boolean({ default: false, description: "Adds how many people each group and each slot matches alone" }),
    ),
  }),
  body: profileSearch,
  bodyExample: {
    has_email: true,
    groups: [
      {
        all: [
          {
            quiz_id: quizId,
            kind: "choice",
            op: "in",
            page_key: "skin",
            component_key: "skin_type",
            option_ids: ["dry"],
          },
          { any: [{ quiz_id: quizId, kind: "session", op: "equals", value: "completed" }] },
        ],
      },
    ],
  },
  answer: {
    status: 200,
    shape: Type.Object({
      ...page(profileSummary).properties,
      total: count("Exact up to 5,000, then 5,000"),
      total_capped: Type.Boolean({ description: "More than `total` people match" }),
      returning_total: count("Matches who came on at least two separate visits, never capped"),
      explain: Type.Optional(searchExplanation),
    }),
    example: {
      data: [
        {
          id: "prof_0198f3d1c2e47a5b8c9d0e1f2a3b4c5d",
          email: "ada@example.com",
          phone: null,
          first_seen_at: "2026-09-02T09:00:00.000Z",
          last_seen_at: "2026-09-14T18:21:07.000Z",
          last_order_at: null,
          completed_count: 1,
          orders_count: 0,
          sessions_count: 2,
          quizzes: [{ id: quizId, name: "Find your routine" }],
          removed: false,
          returning: true,
          spent: { amount: "0.00", currency: "USD" },
        },
      ],
      has_more: false,
      next_cursor: null,
      total: 1,
      total_capped: false,
      returning_total: 1,
    },
  },
});
