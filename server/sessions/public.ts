/** What other slices may use of sessions. */
export { catalogProducts } from "./admit.ts";
export { normaliseContact as contactIdentity } from "./contacts.ts";
export { exitReasons as copyExitReasons, moveCauses as copyMoveCauses } from "./copy-text.ts";
export { importedOpening as oldestImport } from "./imports.ts";
export type { IncomingBatch, SessionOrigin } from "./incoming.ts";
export { GroupIngest } from "./ingest-group.ts";
export { type WholeSession as ToldSession, wholeSessions as toldSessions } from "./payloads/whole.ts";
export {
  type Catalog as ShownCatalog,
  readableValue as answerInWords,
  readCatalog as shownCatalog,
  resultPage as sessionResultPage,
} from "./result-page.ts";
