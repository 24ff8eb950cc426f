import { getQuiz, listQuizzes, searchProfiles } from "@quizstore/client";
import { client } from "./client.js";

/**
 * A segment for a newsletter: people who allow marketing and chose one of the first two options of a quiz's first choice
 * question. The question's keys come from the quiz itself, so that the recipe works for any.
 *
 *   node docs/recipes/segment.js > segment.csv
 */

const choices = [];
for await (const { id: quiz_id } of listQuizzes(client, { query: { status: "published", limit: 100 } })) {
  const { pages } = await getQuiz(client, { path: { quiz_id } });
  for (const { page_key, components } of pages) {
    for (const { component_key, kind, options } of components) {
      if (kind === "choice") choices.push({ quiz_id, page_key, component_key, options });
    }
  }
}
const [question] = choices;
if (!question) throw new Error("no published quiz has a choice question");
const { options, ...target } = question;
const option_ids = options.slice(0, 2).map(({ option_id }) => option_id);

const body = {
  has_marketing_consent: true,
  groups: [{ all: [{ ...target, kind: "choice", op: "in", option_ids }] }],
};
console.log("id,email");
for await (const { id, email } of searchProfiles(client, { body, query: { limit: 100 } })) {
  console.log(`${id},${email ?? ""}`);
}
