/** What other slices may use of sessions. */

export { contactIdentity } from "../platform/contacts.ts";
export { catalogProducts } from "./admit.ts";
export { copyExitReasons, copyMoveCauses } from "./copy-text.ts";
export { oldestImport } from "./imports.ts";
export type { IncomingBatch, SessionOrigin } from "./incoming.ts";
export { GroupIngest } from "./ingest-group.ts";
export { maskedTexts, withoutContacts } from "./masked-contacts.ts";
export { type WebhookSession, webhookSessions } from "./payloads/whole.ts";
export {
  answerInWords,
  type ShownCatalog,
  sessionResultPage,
  shownCatalog,
} from "./result-page.ts";
export { isRobot } from "./robots.ts";
