/** The interface of this slice for others. */

export { type AuditActor, auditRetention, recordAudit } from "./audit.ts";
export { withdrawInvitationsOf } from "./links.ts";
export { type Accounts, openAccounts } from "./open-accounts.ts";
export { endTokensOfStore, forgetExpiredTokens } from "./personal-tokens.ts";
export { forgetEndedSessions } from "./sessions.ts";
export { ensureOwner, startLink } from "./users.ts";
