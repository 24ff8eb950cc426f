import { Type } from "typebox";
import { id, nullable, oneOf } from "../common.ts";
import { operation } from "../operation.ts";

/** What needs attention, and where something is. */

export const attentionKinds = [
  "webhook_disabled",
  "webhook_failing",
  "draft_differs",
  "no_quiz_live",
  "no_orders_connected",
  "data_request_waiting",
  "credits",
  "plan_paused",
] as const;

const attention = Type.Object(
  {
    kind: oneOf(attentionKinds),
    severity: oneOf(["problem", "hint"]),
    text: Type.String({ description: "One sentence" }),
    subject: nullable(Type.Object({ id: Type.String(), name: Type.String() })),
    url: nullable(Type.String({ description: "The dashboard's screen for it, as a path" })),
  },
  { title: "Attention" },
);

export const getAttention = operation({
  id: "getAttention",
  method: "GET",
  path: "/dashboard/api/attention",
  tag: "Home",
  summary: "List what needs attention, problems first",
  description:
    "Of what the person's role may see: webhooks only for those who manage them, requests for data only for those who may read contacts.",
  scope: null,
  access: { to: "member", role: "analyst" },
  cost: "read",
  answer: {
    status: 200,
    shape: Type.Object({ data: Type.Array(attention) }),
    example: {
      data: [
        {
          kind: "webhook_failing",
          severity: "problem",
          text: "Deliveries have failed since 2026-09-14.",
          subject: { id: "whe_0198f2c4d4e37f608a9b0c1d2e3f4a5b", name: "https://hooks.example.com/quiz" },
          url: "/dashboard/developers/webhooks/whe_0198f2c4d4e37f608a9b0c1d2e3f4a5b",
        },
      ],
    },
  },
});

export const whereIs = operation({
  id: "whereIs",
  method: "GET",
  path: "/dashboard/api/where/{id}",
  tag: "Home",
  summary: "Find the store of an id, among those of the person",
  description: "404 for whatever is in none of their stores, and for what their role there may not see.",
  scope: null,
  access: { to: "person" },
  cost: "read",
  params: Type.Object({ id: Type.String({ maxLength: 60 }) }),
  answer: {
    status: 200,
    shape: Type.Object({
      kind: oneOf(["quiz", "profile", "export", "webhook", "event"]),
      store_id: id("store"),
      url: Type.String({ description: "The dashboard's screen for it, as a path" }),
    }),
    example: {
      kind: "quiz",
      store_id: "store_0198f2c4d4e37f608a9b0c1d2e3f4a5b",
      url: "/dashboard/quizzes/quiz_0198f2c4a1b07c3e9d5f6a7b8c9d0e1f",
    },
  },
});

export const homeOperations = [getAttention, whereIs] as const;
