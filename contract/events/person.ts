import { type Static, Type } from "typebox";
import { dateTime, id, nullable, urls } from "../common.ts";
import { consent, contactKind, text } from "./session.ts";
import { session } from "./session-examples.ts";

/** What events about people have in common. */

export const person = Type.Object(
  {
    id: id("prof"),
    created_at: dateTime(),
    first_seen_at: nullable(dateTime()),
    last_seen_at: dateTime(),
    session_id: nullable(id("sess", "The session that left the contact")),
    quiz_id: nullable(id("quiz")),
    identities_from_session: Type.Array(contactKind),
    urls,
    identities: Type.Optional(
      Type.Array(
        Type.Object({
          kind: contactKind,
          value: text(),
          first_seen_at: nullable(dateTime()),
          last_seen_at: nullable(dateTime()),
          consent,
        }),
        { description: "Only with include_pii" },
      ),
    ),
  },
  { title: "ProfileEvent" },
);
export type PersonEvent = Static<typeof person>;

export const personExample = {
  id: "prof_0198f3d1c2e47a5b8c9d0e1f2a3b4c5d",
  created_at: "2026-09-14T18:20:00.000Z",
  first_seen_at: "2026-09-14T18:17:30.000Z",
  last_seen_at: "2026-09-14T18:20:00.000Z",
  session_id: session.id,
  quiz_id: session.quiz_id,
  identities_from_session: ["email"],
  urls: { dashboard: "https://api.example.com/dashboard/profiles/prof_0198f3d1c2e47a5b8c9d0e1f2a3b4c5d" },
  identities: [
    {
      kind: "email",
      value: "ada@example.com",
      first_seen_at: "2026-09-14T18:20:00.000Z",
      last_seen_at: "2026-09-14T18:20:00.000Z",
      consent: true,
    },
  ],
} satisfies PersonEvent;
