import { expect, it } from "vitest";
import { operations } from "../../contract/api.ts";
import { dashboardOperations } from "../../contract/dashboard/index.ts";
import { auditedActions } from "./audited.ts";

/** Whose routes say themselves what was changed, or write the row. */
const tellThemselves = [
  ...[
    "createQuiz",
    "duplicateQuiz",
    "putDraft",
    "publishDraft",
    "restoreVersion",
    "closeDataRequest",
    "endAssistantRun",
    "requestApproval",
    "approvePublishing",
    "declinePublishing",
    "createQuizDraft",
    "changeQuizDraft",
  ],
  ...["updateMember", "removeMember", "createInvitation", "revokeInvitation"],
];

it("no operation about a store changes it without a word in the log [dashboard-api.audit]", () => {
  const aboutStores = [...operations, ...dashboardOperations].filter(({ access }) => !access || access.to === "member");
  const ids = aboutStores.map(({ id }) => id);
  expect(Object.keys(auditedActions).filter((id) => !ids.includes(id))).toEqual([]);
  // a link to a preview changes nothing
  const changing = aboutStores
    .filter(({ id, cost }) => cost === "write" && !["previewQuiz", "createPreview"].includes(id))
    .map(({ id }) => id);
  expect(changing.filter((id) => !(id in auditedActions) && !tellThemselves.includes(id))).toEqual([]);
});
