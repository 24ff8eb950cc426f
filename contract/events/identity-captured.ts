import { type Static, Type } from "typebox";
import { resultFields, sessionIdentity } from "./session.ts";
import { identity, results, soFar } from "./session-examples.ts";
import { topic } from "./topic.ts";

export const identityCaptured = topic({
  meaning: "An email or phone was left; only to endpoints with include_pii",
  about: "contact",
  object: Type.Object(
    {
      ...resultFields,
      identities: Type.Array(sessionIdentity, { description: "The captured one is among them" }),
      identity: sessionIdentity,
    },
    { title: "IdentityCaptured", description: "The session up to the answer that left the contact" },
  ),
  example: {
    ...soFar,
    ended_at: null,
    completed_at: null,
    ...results,
    terminal_page: null,
    outcome: null,
    products_shown: [],
    identity,
  },
  created: "2026-09-14T18:20:00.000Z",
});
export type IdentityCaptured = Static<typeof identityCaptured.object>;
