/** Describes the audit log's actions in words. Pure. */

const words: Readonly<Record<string, string>> = {
  "quiz.created": "Made the quiz",
  "quiz.published": "Published the quiz",
  "quiz.duplicated": "Made, as a copy, the quiz",
  "quiz.edited": "Edited the quiz",
  "quiz.renamed": "Renamed the quiz",
  "quiz.restored": "Took back a version of the quiz",
  "quiz.assistant_begun": "Began a run of the assistant on the quiz",
  "store.clock_moved": "Moved the test store's clock",
  "store.emptied": "Emptied the test store",
  "quiz.assistant_ended": "Ended the assistant's run on the quiz",
  "quiz.archived": "Archived the quiz",
  "quiz.unarchived": "Took back from the archive the quiz",
  "quiz.deleted": "Deleted the quiz",
  "version.saved": "Saved a version of the quiz",
  "version.published": "Published the quiz",
  "version.approval_requested": "Asked through an assistant to publish the version",
  "version.approved": "Approved and published the version",
  "version.approval_declined": "Declined to publish the version",
  "export.requested": "Requested the export",
  "webhook.created": "Added the webhook",
  "webhook.updated": "Changed the webhook",
  "webhook.deleted": "Deleted the webhook",
  "webhook.redelivered": "Sent again for the webhook",
  "webhook.secret_revealed": "Looked at the secret of the webhook",
  "webhook.secret_rotated": "Changed the secret of the webhook",
  "webhook.pinged": "Pinged the webhook",
  "key.created": "Made the key",
  "key.revoked": "Revoked the key",
  "token.created": "Made the personal token",
  "token.revoked": "Revoked the personal token",
  "store.updated": "Changed the settings",
  "store.disconnected": "Disconnected the store",
  "store.reconnected": "Connected the store again",
  "commerce.secret_set": "Set the commerce secret",
  "commerce.secret_rotated": "Made a new commerce secret",
  "profile.erased": "Erased the person",
  "profile.data_read": "Took out the data of the person",
  "data_request.read": "Took out the data that a customer asked for",
  "data_request.answered": "Answered the request of a customer for data",
  "member.invited": "Invited",
  "invitation.accepted": "Joined by invitation",
  "member.role_changed": "Changed the role of",
  "member.removed": "Removed",
  "invitation.revoked": "Withdrew the invitation of",
  "person.signed_in": "Signed in",
  "person.password_set": "Set a password",
  "person.second_factor_added": "Turned on an authenticator",
  "person.second_factor_removed": "Removed the authenticator",
  "person.link_made": "Made a link to sign in for",
  "person.disabled": "Shut out",
  "person.enabled": "Let in again",
  "store.created": "Made the store",
  "support.begun": "Signed in as support",
  "support.ended": "Left as support",
};

/** An action that this version does not know is shown by its name: `thing.done` as `Thing done`. */
export function sayAction(action: string): string {
  const known = words[action];
  if (known !== undefined) return known;
  const plain = action.replaceAll(/[._]/g, " ");
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}

/** Names and values, such as `by: link; role: editor; scopes: none`. */
export const sayDetails = (details: Readonly<Record<string, unknown>>): string =>
  Object.entries(details)
    .map(([name, value]) => `${name.replaceAll("_", " ")}: ${sayValue(value)}`)
    .join("; ");

const sayValue = (value: unknown): string => {
  if (value === null) return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(sayValue).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
};

export const auditActions = Object.keys(words)
  .map((value) => ({ value, label: sayAction(value) }))
  .sort((a, b) => (a.label < b.label ? -1 : 1));
