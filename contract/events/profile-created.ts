import { person, personExample } from "./person.ts";
import { topic } from "./topic.ts";

export const profileCreated = topic({
  meaning: "A contact made a new person",
  about: "person",
  object: person,
  example: personExample,
  created: personExample.created_at,
});
