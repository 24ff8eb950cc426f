import type { Operation } from "../../contract/operation.ts";
import type { Answer, Audited, Request } from "../platform/http/operations.ts";

/**
 * The audit log's names for people's changes to their store [dashboard-api.audit], by operation. An operation that is
 * not listed here names its own entries in its answer, or has none.
 */
export const auditedActions: Readonly<Record<string, string>> = {
  archiveQuiz: "quiz.archived",
  unarchiveQuiz: "quiz.unarchived",
  deleteQuiz: "quiz.deleted",
  saveVersion: "version.saved",
  publishVersion: "version.published",
  createExport: "export.requested",
  createWebhook: "webhook.created",
  updateWebhook: "webhook.updated",
  deleteWebhook: "webhook.deleted",
  redeliver: "webhook.redelivered",
  redeliverFailed: "webhook.redelivered",
  revealSecret: "webhook.secret_revealed",
  rotateSecret: "webhook.secret_rotated",
  pingWebhook: "webhook.pinged",
  createKey: "key.created",
  revokeKey: "key.revoked",
  updateSettings: "store.updated",
  setCommerceSecret: "commerce.secret_set",
  rotateCommerceSecret: "commerce.secret_rotated",
  eraseProfile: "profile.erased",
  getProfileData: "profile.data_read",
  getRequestedData: "data_request.read",
  beginDraftRun: "quiz.assistant_begun",
  endDraftRun: "quiz.assistant_ended",
  moveTestClock: "store.clock_moved",
  emptyTestStore: "store.emptied",
};

/** Fields of request bodies that describe a change, and hold neither a secret nor a shopper's contact. */
const loggedFields = [
  "name",
  "scopes",
  "expires_at",
  "timezone",
  "url",
  "topics",
  "include_pii",
  "status",
  "label",
  "dataset",
];

/** Empty: nothing is logged. */
export function auditedOf(
  { params, body }: Pick<Request<Operation>, "params" | "body">,
  { id }: Operation,
  made: Answer<unknown>,
): readonly Audited[] {
  if (made.audit) return made.audit;
  const action = auditedActions[id];
  if (action === undefined) return [];
  const target = Object.values(params).at(-1) ?? idOf(made.body);
  const input = (body ?? {}) as Record<string, unknown>;
  const fields = Object.entries(input).filter(([name]) => loggedFields.includes(name));
  return [
    {
      action,
      ...(target === undefined ? {} : { target }),
      details: { ...Object.fromEntries(fields), ...made.details },
    },
  ];
}

function idOf(body: unknown): string | undefined {
  const { id } = (body ?? {}) as { id?: unknown };
  return typeof id === "string" ? id : undefined;
}
