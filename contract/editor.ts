import { type Static, Type } from "typebox";
import { count, dateTime, described, id, nullable, oneOf, page, pageQuery, strict } from "./common.ts";
import { operation } from "./operation.ts";
import { finding, maxLabelLength } from "./quizzes.ts";

/** Quizzes as people edit them in the dashboard: drafts, publishing, history, the product picker; docs/rules/editor.md. */

export const templateIds = ["empty", "finder", "gift", "calculator"] as const;
export const longestQuizName = 200;
export const previewHours = { min: 1, max: 720, default: 72 } as const;

const lease = nullable(
  Type.Object(
    {
      holder: Type.String({ description: "Who runs the assistant" }),
      started_at: dateTime(),
      expires_at: dateTime("Ten minutes after its last sign of life"),
    },
    { title: "AssistantRun", description: "The AI assistant edits the draft: nobody else may" },
  ),
);

export const anyDocument = Type.Unsafe<Record<string, unknown>>({
  type: "object",
  additionalProperties: true,
  description: "A quiz document; of a draft it may be incomplete",
});

const liveVersion = nullable(
  Type.Object({ version_id: id("ver"), number: count(), published_at: nullable(dateTime()) }, { title: "LiveVersion" }),
);

const savedFields = {
  revision: Type.Integer({ minimum: 1, description: "The draft's, counted up with each change; also its ETag" }),
  saved_at: dateTime("When the draft was last changed"),
  saved_by: nullable(Type.String({ description: "Who changed it last; null where nobody knows" })),
};

const draftFields = {
  quiz_id: id("quiz"),
  name: Type.String(),
  archived: Type.Boolean(),
  ...savedFields,
  live: described("What shoppers are served", liveVersion),
  differs_from_live: Type.Boolean({ description: "Whether publishing would change what shoppers are served" }),
  assistant: lease,
  findings: Type.Array(finding),
};

export const draft = Type.Object(
  {
    ...draftFields,
    document: anyDocument,
    earlier_keys: Type.Array(Type.Array(Type.String()), {
      description:
        "Sort, key and kind of every key of the quiz's versions: a key never comes to stand for another kind",
    }),
  },
  { title: "Draft" },
);
export type Draft = Static<typeof draft>;

export const savedDraft = Type.Object(
  {
    ...draftFields,
    document: described("As it was kept, where that differs from what was sent", nullable(anyDocument)),
  },
  { title: "SavedDraft" },
);
export type SavedDraft = Static<typeof savedDraft>;

const editedQuiz = Type.Object(
  {
    id: id("quiz"),
    name: Type.String(),
    status: oneOf(["draft", "published"]),
    archived: Type.Boolean(),
    page_count: count("Pages of the draft"),
    created_at: dateTime(),
    updated_at: dateTime(),
    ...savedFields,
    live: liveVersion,
    differs_from_live: Type.Boolean(),
    assistant: lease,
  },
  { title: "EditedQuiz" },
);
export type EditedQuiz = Static<typeof editedQuiz>;

export const quizParams = Type.Object({ quiz_id: id("quiz") });
const quizName = Type.String({ minLength: 1, maxLength: longestQuizName });

export const exampleQuizId = "quiz_0198f2c4a1b07c3e9d5f6a7b8c9d0e1f";
export const exampleVersionId = "ver_0198f2c4b2c17d4f8e6a7b8c9d0e1f2a";
export const exampleTime = "2026-09-01T08:15:00.000Z";
const saved = { revision: 7, saved_at: exampleTime, saved_by: "mira@example.com" };
const live = { version_id: exampleVersionId, number: 3, published_at: exampleTime };
export const exampleDocument = { pages: [], jump_rules: [], dimensions: [], property_mappings: [] };
const stateExample = {
  quiz_id: exampleQuizId,
  name: "Find your routine",
  archived: false,
  ...saved,
  live,
  differs_from_live: true,
  assistant: null,
  findings: [],
};
export const draftExample: Draft = {
  ...stateExample,
  document: exampleDocument,
  earlier_keys: [["page", "skin", "question"]],
};
export const savedExample: SavedDraft = { ...stateExample, document: null };

const tag = "Editor" as const;
export const editorPath = "/dashboard/api/quizzes";
/** For everybody who may change quizzes; scopes require the same [editor.roles]. */
const access = { to: "member", role: "editor" } as const;
export const reading = { method: "GET", tag, access, scope: "quizzes:write", cost: "read" } as const;
export const editing = { tag, access, scope: "quizzes:write", cost: "write" } as const;

export const listEditedQuizzes = operation({
  ...reading,
  access: { to: "member", role: "analyst" },
  scope: "quizzes:read",
  id: "listEditedQuizzes",
  path: editorPath,
  summary: "List quizzes with the state of their drafts, newest first",
  query: Type.Object({
    ...pageQuery,
    status: Type.Optional(oneOf(["draft", "published"])),
    archived: Type.Optional(Type.Boolean()),
    q: Type.Optional(Type.String({ maxLength: longestQuizName, description: "A part of the name" })),
  }),
  answer: {
    status: 200,
    shape: page(editedQuiz),
    example: {
      data: [
        {
          id: exampleQuizId,
          name: "Find your routine",
          status: "published",
          archived: false,
          page_count: 8,
          created_at: exampleTime,
          updated_at: exampleTime,
          ...saved,
          live,
          differs_from_live: true,
          assistant: null,
        },
      ],
      has_more: false,
      next_cursor: null,
    },
  },
});

export const listQuizTemplates = operation({
  ...reading,
  id: "listQuizTemplates",
  path: "/dashboard/api/quiz-templates",
  summary: "List what a new quiz can begin with",
  answer: {
    status: 200,
    shape: Type.Object({
      data: Type.Array(
        Type.Object({
          template_id: oneOf(templateIds),
          name: Type.String(),
          description: Type.String(),
          page_count: count(),
        }),
      ),
    }),
    example: {
      data: [{ template_id: "empty", name: "Empty quiz", description: "Nothing yet", page_count: 0 }],
    },
  },
});

export const createQuiz = operation({
  ...editing,
  id: "createQuiz",
  method: "POST",
  path: editorPath,
  summary: "Make a quiz: empty, from a template, or from a document",
  description: "A document may be what an export holds: its name is taken where none is given.",
  body: Type.Object(
    {
      name: Type.Optional(quizName),
      template_id: Type.Optional(oneOf(templateIds)),
      document: Type.Optional(anyDocument),
    },
    strict,
  ),
  bodyExample: { name: "Find your routine", template_id: "finder" },
  answer: { status: 201, shape: draft, location: "The draft's address", example: draftExample },
});

export const duplicateQuiz = operation({
  ...editing,
  id: "duplicateQuiz",
  method: "POST",
  path: `${editorPath}/{quiz_id}/duplicate`,
  summary: "Make a quiz of another one's draft",
  params: quizParams,
  body: Type.Object({ name: Type.Optional(quizName) }, strict),
  bodyExample: { name: "Find your routine, spring" },
  answer: { status: 201, shape: draft, location: "The draft's address", example: draftExample },
});

export const getDraft = operation({
  ...reading,
  id: "getDraft",
  path: `${editorPath}/{quiz_id}/draft`,
  summary: "Read a quiz's draft",
  description: "The ETag is what a change of it names in If-Match.",
  params: quizParams,
  answer: { status: 200, shape: draft, example: draftExample },
});

export const putDraft = operation({
  ...editing,
  id: "putDraft",
  method: "PUT",
  path: `${editorPath}/{quiz_id}/draft`,
  summary: "Replace a quiz's draft",
  description:
    "Takes a document, or a name and a document as an export holds them. If-Match names the draft that was changed: one that somebody else has changed since is not overwritten. A draft may be incomplete; what keeps it from being a version is among the findings. HTML that a document may not hold is taken out, and named by a finding.",
  params: quizParams,
  body: anyDocument,
  bodyExample: { name: "Find your routine", document: exampleDocument },
  answer: { status: 200, shape: savedDraft, example: savedExample },
  problems: ["draft_changed", "if_match_required", "ai_run_in_progress"],
});

export const lintDraft = operation({
  ...reading,
  id: "lintDraft",
  method: "POST",
  path: `${editorPath}/{quiz_id}/draft/lint`,
  summary: "Look at a document as the quiz's next version, without keeping it",
  params: quizParams,
  body: anyDocument,
  bodyExample: exampleDocument,
  answer: {
    status: 200,
    shape: Type.Object({ findings: Type.Array(finding) }),
    example: { findings: [{ severity: "warning", code: "no_pages", path: "pages", message: "has no pages" }] },
  },
});

export const publishDraft = operation({
  ...editing,
  id: "publishDraft",
  method: "POST",
  path: `${editorPath}/{quiz_id}/draft/publish`,
  summary: "Save the draft as a version and make it live",
  description:
    "Publishes the draft that If-Match names and no other. Safe to repeat: where the draft is live as it is, nothing changes.",
  scope: "quizzes:publish",
  params: quizParams,
  body: Type.Object({ label: Type.Optional(Type.String({ maxLength: maxLabelLength })) }, strict),
  bodyExample: { label: "Autumn range" },
  answer: { status: 200, shape: savedDraft, example: { ...savedExample, differs_from_live: false } },
  problems: ["conflict", "draft_changed", "if_match_required", "ai_run_in_progress"],
});

export const endAssistantRun = operation({
  ...editing,
  id: "endAssistantRun",
  method: "POST",
  path: `${editorPath}/{quiz_id}/assistant/end`,
  summary: "End the AI assistant's run, so that people edit the draft again",
  description: "What it did until then stays in the draft. Where there is no run nothing changes.",
  params: quizParams,
  answer: {
    status: 200,
    shape: Type.Object({ quiz_id: id("quiz"), ended: described("The run that was under way; null: none was", lease) }),
    example: {
      quiz_id: exampleQuizId,
      ended: { holder: "Mira's assistant", started_at: exampleTime, expires_at: exampleTime },
    },
  },
});

export const exportQuiz = operation({
  ...reading,
  id: "exportQuiz",
  path: `${editorPath}/{quiz_id}/export`,
  summary: "A quiz's name and draft, as an import takes them",
  params: quizParams,
  answer: {
    status: 200,
    shape: Type.Object({ quiz_id: id("quiz"), name: Type.String(), document: anyDocument }),
    example: { quiz_id: exampleQuizId, name: "Find your routine", document: exampleDocument },
  },
});

/** A link that shows a draft or a version: request and answer. */
export const previewLink = {
  body: Type.Object(
    {
      version_id: Type.Optional(id("ver")),
      hours: Type.Optional(Type.Integer({ minimum: previewHours.min, maximum: previewHours.max })),
    },
    strict,
  ),
  bodyExample: { hours: 72 },
  answer: {
    status: 201,
    shape: Type.Object({ url: Type.String(), version_id: nullable(id("ver")), expires_at: dateTime() }),
    example: { url: "https://api.example.com/preview/AZjyxKGwfD6d", version_id: null, expires_at: exampleTime },
  },
} as const;

export const previewQuiz = operation({
  ...editing,
  id: "previewQuiz",
  method: "POST",
  path: `${editorPath}/{quiz_id}/preview`,
  summary: "Make a link that shows the draft, or a version, without an account",
  description: "Nothing that is done there counts.",
  params: quizParams,
  ...previewLink,
});

export const editorOperations = [
  listEditedQuizzes,
  listQuizTemplates,
  createQuiz,
  duplicateQuiz,
  getDraft,
  putDraft,
  lintDraft,
  publishDraft,
  endAssistantRun,
  exportQuiz,
  previewQuiz,
] as const;
