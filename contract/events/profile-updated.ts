import { person, personExample } from "./person.ts";
import { topic } from "./topic.ts";

const created = "2026-09-20T08:02:00.000Z";

export const profileUpdated = topic({
  meaning: "A person's set of contacts changed",
  about: "person",
  object: person,
  example: {
    ...personExample,
    last_seen_at: created,
    identities_from_session: ["email", "phone"],
    identities: [
      ...personExample.identities,
      { kind: "phone", value: "+14155550123", first_seen_at: created, last_seen_at: created, consent: null },
    ],
  },
  created,
});
