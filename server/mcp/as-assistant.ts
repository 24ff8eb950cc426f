import { assistantHeader } from "../platform/http/operations.ts";

/** What tools ask, an assistant asks: the history of a quiz says so [drafts.history]. */
export const asAssistant = { [assistantHeader]: "mcp" };
