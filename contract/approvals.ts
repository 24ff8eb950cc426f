import { type Static, Type } from "typebox";
import { count, dateTime, described, id, nullable, oneOf } from "./common.ts";
import { editing, exampleQuizId, exampleTime, exampleVersionId, reading } from "./editor.ts";
import { operation } from "./operation.ts";
import { documentChange } from "./quiz-history.ts";
import { finding } from "./quizzes.ts";

/** Publishing that a program asks for and a person decides; docs/rules/mcp.md [mcp.publish]. */

const fields = {
  id: id("appr"),
  quiz_id: id("quiz"),
  version_id: id("ver", "The version that would go live"),
  replaces: described("The version that was live when it was asked for; null: none", nullable(id("ver"))),
  status: oneOf(
    ["open", "published", "declined", "expired", "outdated"],
    "`outdated`: another version has gone live since; `expired`: ten minutes passed",
  ),
  requested_by: Type.String({ description: "Whose key or personal token asked" }),
  created_at: dateTime(),
  expires_at: dateTime("Ten minutes after it was asked for"),
  url: Type.String({ format: "uri", description: "Where a signed-in person decides, in the dashboard" }),
};

const approval = Type.Object(fields, { title: "PublishApproval" });
export type PublishApproval = Static<typeof approval>;

const exampleApprovalId = "appr_0198f2c4d4e37f6a8a0b8c9d0e1f2a3b";
const example: PublishApproval = {
  id: exampleApprovalId,
  quiz_id: exampleQuizId,
  version_id: exampleVersionId,
  replaces: null,
  status: "open",
  requested_by: "mira@example.com",
  created_at: exampleTime,
  expires_at: "2026-09-01T08:25:00.000Z",
  url: `https://quiz.example.com/dashboard/approvals/${exampleApprovalId}?store=store_0198f2c4e5f47a7b9b1c8d0e1f2a3b4c`,
};

export const requestApproval = operation({
  id: "requestApproval",
  tag: "Quizzes",
  scope: "quizzes:publish",
  method: "POST",
  path: "/v1/quizzes/{quiz_id}/versions/{version_id}/approvals",
  summary: "Ask a person to publish a version",
  description:
    "For programs whose user has to agree, such as AI assistants. Changes nothing: a person who may publish opens `url`, signed in, and approves or declines. Asking again for the same change within its ten minutes answers the same approval.",
  cost: "write",
  params: Type.Object({ quiz_id: id("quiz"), version_id: id("ver") }),
  answer: {
    status: 201,
    shape: approval,
    example,
    existing: { description: "The approval that was asked for within the last ten minutes", example },
  },
  problems: ["conflict", "ai_run_in_progress"],
});

const shownVersion = Type.Object({ version_id: id("ver"), number: count(), label: nullable(Type.String()) });

const shownApproval = Type.Object(
  {
    ...fields,
    quiz_name: Type.String(),
    version: shownVersion,
    live: described("What is live now; null: nothing is", nullable(shownVersion)),
    findings: Type.Array(finding, { description: "Of the version's lint" }),
    changes: Type.Array(documentChange, { description: "From what is live to the version" }),
  },
  { title: "ShownApproval" },
);

const decided = Type.Object({ id: id("appr"), quiz_id: id("quiz"), status: oneOf(["published", "declined"]) });
const path = "/dashboard/api/approvals/{approval_id}";
const params = Type.Object({ approval_id: id("appr") });

export const getApproval = operation({
  ...reading,
  scope: "quizzes:publish",
  id: "getApproval",
  path,
  summary: "Read what a program asks to publish, and what would change",
  params,
  answer: {
    status: 200,
    shape: shownApproval,
    example: {
      ...example,
      quiz_name: "Find your routine",
      version: { version_id: exampleVersionId, number: 3, label: null },
      live: null,
      findings: [],
      changes: [],
    },
  },
});

export const approvePublishing = operation({
  ...editing,
  scope: "quizzes:publish",
  id: "approvePublishing",
  method: "POST",
  path: `${path}/approve`,
  summary: "Publish what a program asks to publish",
  params,
  answer: {
    status: 200,
    shape: decided,
    example: { id: exampleApprovalId, quiz_id: exampleQuizId, status: "published" },
  },
  problems: ["conflict", "ai_run_in_progress"],
});

export const declinePublishing = operation({
  ...editing,
  scope: "quizzes:publish",
  id: "declinePublishing",
  method: "POST",
  path: `${path}/decline`,
  summary: "Decline what a program asks to publish",
  params,
  answer: {
    status: 200,
    shape: decided,
    example: { id: exampleApprovalId, quiz_id: exampleQuizId, status: "declined" },
  },
  problems: ["conflict"],
});

export const approvalOperations = [getApproval, approvePublishing, declinePublishing] as const;
