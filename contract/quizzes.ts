import { type Static, Type } from "typebox";
import { count, dateTime, described, id, nullable, oneOf, page, pageQuery, strict, urls } from "./common.ts";
import { operation } from "./operation.ts";

/** Quizzes and their versions; docs/rules/quizzes.md. */

export const maxLabelLength = 200;

export const versionSummary = Type.Object(
  {
    id: id("ver"),
    quiz_id: id("quiz"),
    number: count("Counts from 1 within the quiz"),
    label: nullable(Type.String()),
    page_count: count(),
    published: Type.Boolean({ description: "True for the live version only" }),
    created_at: dateTime(),
  },
  { title: "VersionSummary" },
);
export type VersionSummary = Static<typeof versionSummary>;

const summaryFields = {
  id: id("quiz"),
  name: Type.String(),
  status: described(
    "draft: not served to shoppers; published: a version is live; deleted: soft-deleted, answered by the deletion alone",
    oneOf(["draft", "published", "deleted"]),
  ),
  archived: Type.Boolean(),
  page_count: count("Pages of the draft"),
  created_at: dateTime(),
  updated_at: dateTime("Moves with draft, name, archive, publish and delete"),
  published_version: Type.Optional(id("ver", "The live version; absent without one")),
  urls,
};

export const quizSummary = Type.Object(
  {
    ...summaryFields,
    latest_version: Type.Optional(
      described("Only with include=latest_version, and when a version was saved", versionSummary),
    ),
  },
  { title: "QuizSummary" },
);
export type QuizSummary = Static<typeof quizSummary>;

const removed = Type.Boolean({ description: "Another version had it, the present one lacks it" });

const option = Type.Object({
  option_id: Type.String(),
  label: Type.String(),
  image_url: nullable(Type.String()),
  removed,
});

const component = Type.Object({
  component_key: Type.String(),
  kind: oneOf(["choice", "image", "text", "email", "phone", "number", "date"]),
  question: Type.String(),
  required: Type.Boolean(),
  removed,
  options: Type.Array(option, { description: "Empty but for choice and image" }),
});

const pageOutline = Type.Object({
  page_key: Type.String(),
  title: Type.String(),
  kind: oneOf(["question", "content", "result"]),
  position: nullable(Type.Integer({ minimum: 1, description: "Counts from 1; null for a removed page" })),
  removed,
  components: Type.Array(component, { description: "The page's questions" }),
});

/** The quiz with all keys for search terms and analytics parameters [quizzes.one-quiz]. */
export const quizDetail = Type.Object(
  {
    ...summaryFields,
    definition_version: nullable(
      id("ver", "The version described below: the live one, else the latest; null: the draft"),
    ),
    pages: Type.Array(pageOutline),
    jump_rules: Type.Array(
      Type.Object({
        jump_rule_key: Type.String(),
        source_page_key: Type.String(),
        target_page_key: Type.String(),
        removed,
      }),
    ),
    dimensions: Type.Array(Type.Object({ dimension_id: Type.String(), name: Type.String(), removed })),
    formulas: Type.Array(
      Type.Object({ component_key: Type.String(), page_key: Type.String(), label: Type.String(), removed }),
    ),
  },
  { title: "Quiz" },
);
export type QuizDetail = Static<typeof quizDetail>;

const quizParams = Type.Object({ quiz_id: id("quiz") });
const versionParams = Type.Object({ quiz_id: id("quiz"), version_id: id("ver") });

const quizId = "quiz_0198f2c4a1b07c3e9d5f6a7b8c9d0e1f";
const versionId = "ver_0198f2c4b2c17d4f8e6a7b8c9d0e1f2a";
const versionExample: VersionSummary = {
  id: versionId,
  quiz_id: quizId,
  number: 3,
  label: "Autumn range",
  page_count: 8,
  published: true,
  created_at: "2026-09-01T08:15:00.000Z",
};
const summaryExample: QuizSummary = {
  id: quizId,
  name: "Find your routine",
  status: "published",
  archived: false,
  page_count: 8,
  created_at: "2026-08-20T10:00:00.000Z",
  updated_at: "2026-09-01T08:16:30.000Z",
  published_version: versionId,
  urls: {
    self: `https://api.example.com/v1/quizzes/${quizId}`,
    versions: `https://api.example.com/v1/quizzes/${quizId}/versions`,
    dashboard: `https://api.example.com/dashboard/quizzes/${quizId}`,
  },
};

const tag = "Quizzes" as const;

export const listQuizzes = operation({
  id: "listQuizzes",
  method: "GET",
  path: "/v1/quizzes",
  tag,
  summary: "List quizzes, newest first",
  description: "Without status and archived, every quiz that is not deleted.",
  scope: "quizzes:read",
  cost: "read",
  query: Type.Object({
    ...pageQuery,
    status: Type.Optional(oneOf(["draft", "published"])),
    archived: Type.Optional(Type.Boolean()),
    include: Type.Optional(oneOf(["latest_version"], "Adds latest_version to each quiz that has one")),
  }),
  answer: {
    status: 200,
    shape: page(quizSummary),
    example: { data: [summaryExample], has_more: false, next_cursor: null },
  },
});

export const getQuiz = operation({
  id: "getQuiz",
  method: "GET",
  path: "/v1/quizzes/{quiz_id}",
  tag,
  summary: "Read a quiz with its pages, questions and keys",
  description:
    "Pages, questions, options, rules, dimensions and formulas of the live version, else of the latest saved one, else of the draft. What any other version had and this one lacks is listed as removed.",
  scope: "quizzes:read",
  cost: "read",
  params: quizParams,
  answer: {
    status: 200,
    shape: quizDetail,
    example: {
      ...summaryExample,
      definition_version: versionId,
      pages: [
        {
          page_key: "skin",
          title: "Your skin",
          kind: "question",
          position: 1,
          removed: false,
          components: [
            {
              component_key: "skin_type",
              kind: "choice",
              question: "How does your skin feel by noon?",
              required: true,
              removed: false,
              options: [{ option_id: "dry", label: "Tight and dry", image_url: null, removed: false }],
            },
          ],
        },
      ],
      jump_rules: [{ jump_rule_key: "to_result", source_page_key: "skin", target_page_key: "result", removed: false }],
      dimensions: [{ dimension_id: "hydrate", name: "Hydration", removed: false }],
      formulas: [{ component_key: "steps", page_key: "result", label: "Steps a day", removed: false }],
    },
  },
});

export const deleteQuiz = operation({
  id: "deleteQuiz",
  method: "DELETE",
  path: "/v1/quizzes/{quiz_id}",
  tag,
  summary: "Delete a quiz",
  description:
    "Hides the quiz from lists and shoppers; its pages and versions are retained. A second call answers 404.",
  scope: "quizzes:write",
  cost: "write",
  params: quizParams,
  answer: { status: 200, shape: quizSummary, example: { ...summaryExample, status: "deleted" } },
});

const act = (name: "archive" | "unarchive", archived: boolean) =>
  operation({
    id: `${name}Quiz`,
    method: "POST",
    path: `/v1/quizzes/{quiz_id}/${name}`,
    tag,
    summary: archived ? "Archive a quiz" : "Take a quiz out of the archive",
    description: "Safe to repeat: where nothing is to be changed, nothing is. An archived quiz is still served.",
    scope: "quizzes:write",
    cost: "write",
    params: quizParams,
    answer: { status: 200, shape: quizSummary, example: { ...summaryExample, archived } },
    problems: ["ai_run_in_progress"],
  });
export const archiveQuiz = act("archive", true);
export const unarchiveQuiz = act("unarchive", false);

export const listVersions = operation({
  id: "listVersions",
  method: "GET",
  path: "/v1/quizzes/{quiz_id}/versions",
  tag,
  summary: "List a quiz's saved versions, newest first",
  scope: "quizzes:read",
  cost: "read",
  params: quizParams,
  query: Type.Object(pageQuery),
  answer: {
    status: 200,
    shape: page(versionSummary),
    example: { data: [versionExample], has_more: false, next_cursor: null },
  },
});

export const saveVersion = operation({
  id: "saveVersion",
  method: "POST",
  path: "/v1/quizzes/{quiz_id}/versions",
  tag,
  summary: "Save the draft as a numbered version",
  description: "Each call makes another version. A draft that is not valid is refused, field by field.",
  scope: "quizzes:write",
  cost: "write",
  params: quizParams,
  body: Type.Object({ label: Type.Optional(Type.String({ maxLength: maxLabelLength })) }, strict),
  bodyExample: { label: "Autumn range" },
  answer: {
    status: 201,
    shape: versionSummary,
    location: "The version's own address",
    example: { ...versionExample, published: false },
  },
  problems: ["ai_run_in_progress"],
});

export const getVersion = operation({
  id: "getVersion",
  method: "GET",
  path: "/v1/quizzes/{quiz_id}/versions/{version_id}",
  tag,
  summary: "Read a saved version",
  scope: "quizzes:read",
  cost: "read",
  params: versionParams,
  answer: { status: 200, shape: versionSummary, example: versionExample },
});

export const publishVersion = operation({
  id: "publishVersion",
  method: "POST",
  path: "/v1/quizzes/{quiz_id}/versions/{version_id}/publish",
  tag,
  summary: "Publish a saved version",
  description:
    "Safe to repeat: publishing the live version changes nothing and sends no event. With `approval_id` it is published only if that approval was asked for this version, is open, and the version that it replaces is still live; the approval is then used up.",
  scope: "quizzes:publish",
  cost: "write",
  params: versionParams,
  body: Type.Object(
    { approval_id: Type.Optional(id("appr", "What a person was asked, and agreed to in the program")) },
    strict,
  ),
  bodyExample: {},
  answer: { status: 200, shape: quizSummary, example: summaryExample },
  problems: ["conflict", "ai_run_in_progress"],
});

export const finding = Type.Object(
  {
    severity: oneOf(["error", "warning"]),
    code: Type.String({ description: "What is found, as a word to branch on" }),
    path: Type.String({ description: "Dotted path of the field, such as pages.0.title; empty for the whole document" }),
    message: Type.String(),
  },
  { title: "Finding", description: "What an author should look at; errors keep a draft from becoming a version" },
);

const findings = Type.Object({
  findings: Type.Array(finding, { description: "Empty where there is nothing to say" }),
});

const findingsExample: Static<typeof findings> = {
  findings: [
    {
      severity: "warning",
      code: "low_contrast",
      path: "presentation.theme.text",
      message: "text on the background has a contrast of 3.2:1, below 4.5:1",
    },
  ],
};

export const getVersionLint = operation({
  id: "getVersionLint",
  method: "GET",
  path: "/v1/quizzes/{quiz_id}/versions/{version_id}/lint",
  tag,
  summary: "Lint a saved version",
  description:
    "What an author should look at: pages that nobody reaches, ends without a result, pictures without words.",
  scope: "quizzes:read",
  cost: "read",
  params: versionParams,
  answer: { status: 200, shape: findings, example: findingsExample },
});

export const getDraftLint = operation({
  id: "getDraftLint",
  method: "GET",
  path: "/v1/quizzes/{quiz_id}/draft/lint",
  tag,
  summary: "Lint the draft",
  description:
    "As the next version of its quiz: what is an error here keeps it from being saved as one, or from making sense.",
  scope: "quizzes:read",
  cost: "read",
  params: quizParams,
  answer: { status: 200, shape: findings, example: findingsExample },
});

export const quizOperations = [
  listQuizzes,
  getQuiz,
  deleteQuiz,
  archiveQuiz,
  unarchiveQuiz,
  listVersions,
  saveVersion,
  getVersion,
  getVersionLint,
  getDraftLint,
  publishVersion,
] as const;
