import { type Static, Type } from "typebox";
import { dateTime, id, oneOf, strict } from "./common.ts";
import {
  draft,
  draftExample,
  exampleQuizId,
  exampleTime,
  longestQuizName,
  previewLink,
  quizParams,
  savedDraft,
  savedExample,
  templateIds,
} from "./editor.ts";
import { operation } from "./operation.ts";

/** Drafts by API: an AI assistant edits a quiz in small changes; docs/rules/drafts.md. */

export const changeBounds = { changes: 100, path: 1_000, depth: 30, draftBytes: 1024 * 1024 } as const;
export const longestHolder = 200;

const run = Type.Object(
  {
    run_id: id("run", "Names the run in each change"),
    holder: Type.String({ description: "Who runs the assistant, as people who wait are told" }),
    started_at: dateTime(),
    expires_at: dateTime("Ten minutes after its last sign of life"),
  },
  { title: "DraftRun" },
);
export type DraftRun = Static<typeof run>;

export const exampleRunId = "run_0198f2c4c3d27e5f9f7b8c9d0e1f2a3b";
const runExample: DraftRun = {
  run_id: exampleRunId,
  holder: "Mira's assistant",
  started_at: exampleTime,
  expires_at: "2026-09-01T08:25:00.000Z",
};

const path = (description: string) => Type.String({ maxLength: changeBounds.path, description });
const place = "Such as /pages/skin/components/feel/question: names of fields, and in a list the entry's key or number";

const change = Type.Object(
  {
    op: oneOf(["set", "insert", "remove", "move"]),
    path: path(place),
    value: Type.Optional(Type.Unknown({ description: "What is set or inserted" })),
    before: Type.Optional(
      path("Of insert and move: the key or number of the entry that comes next; at the list's end without it"),
    ),
  },
  { ...strict, title: "DraftChange", description: "insert names the list, the others the thing itself" },
);
export type DraftChange = Static<typeof change>;

const shared = { tag: "Quizzes", scope: "quizzes:write", params: quizParams } as const;

export const createQuizDraft = operation({
  id: "createQuizDraft",
  tag: "Quizzes",
  scope: "quizzes:write",
  method: "POST",
  path: "/v1/quizzes",
  summary: "Make a quiz, empty or from a template",
  description: "It has a draft alone: shoppers see nothing of it until a version is published.",
  cost: "write",
  body: Type.Object(
    {
      name: Type.Optional(Type.String({ minLength: 1, maxLength: longestQuizName })),
      template_id: Type.Optional(oneOf(templateIds)),
    },
    strict,
  ),
  bodyExample: { name: "Find your routine", template_id: "finder" },
  answer: { status: 201, shape: draft, location: "The draft's address", example: draftExample },
});

export const getQuizDraft = operation({
  ...shared,
  id: "getQuizDraft",
  method: "GET",
  path: "/v1/quizzes/{quiz_id}/draft",
  summary: "Read a quiz's draft",
  cost: "read",
  answer: { status: 200, shape: draft, example: draftExample },
});

export const beginDraftRun = operation({
  ...shared,
  id: "beginDraftRun",
  method: "POST",
  path: "/v1/quizzes/{quiz_id}/draft/run",
  summary: "Begin to edit a draft as an assistant",
  description:
    "For ten minutes, and ten more after each change, nobody else changes the quiz. With `run_id` a run that is under way is renewed.",
  cost: "write",
  body: Type.Object(
    {
      holder: Type.Optional(Type.String({ minLength: 1, maxLength: longestHolder })),
      run_id: Type.Optional(id("run")),
    },
    strict,
  ),
  bodyExample: { holder: "Mira's assistant" },
  answer: { status: 200, shape: run, example: runExample },
  problems: ["ai_run_in_progress"],
});

export const changeQuizDraft = operation({
  ...shared,
  id: "changeQuizDraft",
  method: "PATCH",
  path: "/v1/quizzes/{quiz_id}/draft",
  summary: "Change a draft by small steps",
  description:
    "All of the changes are made, one after the other, or none. The draft is checked as the editor checks it: it may be incomplete, and findings say what keeps it from being a version.",
  cost: "write",
  body: Type.Object(
    {
      run_id: id("run"),
      name: Type.Optional(Type.String({ minLength: 1, maxLength: longestQuizName })),
      changes: Type.Array(change, { minItems: 0, maxItems: changeBounds.changes }),
    },
    strict,
  ),
  bodyExample: {
    run_id: exampleRunId,
    changes: [{ op: "set", path: "/pages/skin/title", value: "Your skin" }],
  },
  answer: { status: 200, shape: savedDraft, example: savedExample },
  problems: ["ai_run_in_progress", "conflict"],
});

export const endDraftRun = operation({
  ...shared,
  id: "endDraftRun",
  method: "POST",
  path: "/v1/quizzes/{quiz_id}/draft/run/end",
  summary: "End an assistant's run",
  description: "People can change the quiz again, and versions of it can be saved. Safe to repeat.",
  cost: "write",
  body: Type.Object({ run_id: id("run") }, strict),
  bodyExample: { run_id: exampleRunId },
  answer: { status: 200, shape: Type.Object({ quiz_id: id("quiz") }), example: { quiz_id: exampleQuizId } },
});

export const createPreview = operation({
  ...shared,
  id: "createPreview",
  method: "POST",
  path: "/v1/quizzes/{quiz_id}/preview",
  summary: "Make a link that shows the draft, or a version",
  description: "Whoever has it needs no account. Nothing that is done there counts.",
  cost: "write",
  ...previewLink,
});

export const draftOperations = [
  createQuizDraft,
  getQuizDraft,
  beginDraftRun,
  changeQuizDraft,
  endDraftRun,
  createPreview,
] as const;
