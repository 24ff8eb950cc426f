import { personalTokenPrefix } from "../../contract/personal-tokens.ts";
import { dashboardPath } from "../platform/http/dashboard.ts";
import { assistantHeader } from "../platform/http/operations.ts";

/** What tools ask, an assistant asks: the history of a quiz says so [drafts.history]. */
export const asAssistant = { [assistantHeader]: "mcp" };

/** Where the operations of `/v1` answer whoever has this: keys and people have an address each, of the same operations [mcp.person]. */
export const apiPrefixOf = (keyOrToken: string): string =>
  keyOrToken.startsWith(personalTokenPrefix) ? dashboardPath : "";
