import { personalTokenPrefix } from "../../contract/personal-tokens.ts";
import { dashboardPath } from "../platform/http/dashboard.ts";
import { assistantHeader } from "../platform/http/operations.ts";

/** Marks the tools' requests as an assistant's, which a quiz's history shows [drafts.history]. */
export const asAssistant = { [assistantHeader]: "mcp" };

/**
 * Prefix of the addresses at which `/v1` operations accept this credential: keys and personal tokens have different
 * ones for the same operations [mcp.person].
 */
export const apiPrefixOf = (keyOrToken: string): string =>
  keyOrToken.startsWith(personalTokenPrefix) ? dashboardPath : "";
