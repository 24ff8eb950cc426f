import { Type } from "typebox";
import { count, dateTime, id, nullable, oneOf } from "./common.ts";
import {
  anyDocument,
  draft,
  draftExample,
  editing,
  editorPath,
  exampleDocument,
  exampleQuizId,
  exampleTime,
  exampleVersionId,
  quizParams,
  reading,
} from "./editor.ts";
import { operation } from "./operation.ts";

/** A quiz's history: who did what, its versions as documents, and the differences between them. */

export const documentChange = Type.Object(
  {
    kind: oneOf(["added", "removed", "changed", "moved"]),
    path: Type.String({ description: "Of the thing in the later document; of a removed one in the earlier" }),
    words: Type.String({ description: "One sentence" }),
    before: nullable(Type.String()),
    after: nullable(Type.String()),
  },
  { title: "DocumentChange" },
);

const versionParams = Type.Object({ quiz_id: id("quiz"), version_id: id("ver") });

export const restoreVersion = operation({
  ...editing,
  id: "restoreVersion",
  method: "POST",
  path: `${editorPath}/{quiz_id}/versions/{version_id}/restore`,
  summary: "Make a version the draft again",
  params: versionParams,
  answer: { status: 200, shape: draft, example: draftExample },
  problems: ["draft_changed", "if_match_required", "ai_run_in_progress"],
});

export const getVersionDocument = operation({
  ...reading,
  id: "getVersionDocument",
  path: `${editorPath}/{quiz_id}/versions/{version_id}/document`,
  summary: "Read a version's document",
  params: versionParams,
  answer: {
    status: 200,
    shape: Type.Object({ quiz_id: id("quiz"), version_id: id("ver"), number: count(), document: anyDocument }),
    example: { quiz_id: exampleQuizId, version_id: exampleVersionId, number: 3, document: exampleDocument },
  },
});

const side = Type.String({ maxLength: 40, description: "draft, live, or the id of a version" });

export const compareDocuments = operation({
  ...reading,
  id: "compareDocuments",
  path: `${editorPath}/{quiz_id}/difference`,
  summary: "What differs between two versions of a quiz, in words",
  params: quizParams,
  query: Type.Object({ from: Type.Optional(side), to: Type.Optional(side) }),
  description:
    "From what is live to the draft, unless others are named. A quiz that is not live is compared with nothing.",
  answer: {
    status: 200,
    shape: Type.Object({ from: Type.String(), to: Type.String(), changes: Type.Array(documentChange) }),
    example: {
      from: exampleVersionId,
      to: "draft",
      changes: [
        {
          kind: "changed",
          path: "pages.0.title",
          words: 'The title of page "Your skin" is now "Your skin"; before: "Skin"',
          before: "Skin",
          after: "Your skin",
        },
      ],
    },
  },
});

export const listQuizHistory = operation({
  ...reading,
  id: "listQuizHistory",
  path: `${editorPath}/{quiz_id}/history`,
  summary: "Who did what to a quiz, newest first",
  params: quizParams,
  answer: {
    status: 200,
    shape: Type.Object({
      data: Type.Array(
        Type.Object({
          at: dateTime(),
          action: Type.String(),
          by: Type.String(),
          source: oneOf(["api", "operator", "dashboard", "assistant"]),
          version_id: nullable(id("ver")),
          version_number: nullable(count()),
          label: nullable(Type.String()),
          live: Type.Boolean(),
        }),
      ),
    }),
    example: {
      data: [
        {
          at: exampleTime,
          action: "published",
          by: "mira@example.com",
          source: "dashboard",
          version_id: exampleVersionId,
          version_number: 3,
          label: "Autumn range",
          live: true,
        },
      ],
    },
  },
});

export const quizHistoryOperations = [restoreVersion, getVersionDocument, compareDocuments, listQuizHistory] as const;
