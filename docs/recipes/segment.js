import { read, walk } from "./client.js";

/**
 * A segment for a newsletter: people who allow marketing and chose one of the first two options of a quiz's first choice
 * question. The question's keys come from the quiz itself, so that the recipe works for any.
 *
 *   node docs/recipes/segment.js > segment.csv
 */

const quizzes = [];
for await (const { id, status } of walk("/v1/quizzes?limit=100")) if (status === "published") quizzes.push(id);
const choices = [];
for (const quiz_id of quizzes) {
  const { pages } = await read(`/v1/quizzes/${quiz_id}`);
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
for await (const { id, email } of walk("/v1/profiles/search?limit=100", { method: "POST", body })) {
  console.log(`${id},${email ?? ""}`);
}
