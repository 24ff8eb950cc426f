import { read, send } from "./client.js";

/**
 * Saves a quiz's draft as a version and publishes it. Both requests carry an idempotency key of this run: should an answer
 * be lost, the same call repeated answers the same, and makes no second version.
 *
 *   node docs/recipes/publish.js quiz_... "Autumn wording"
 */

const [quiz, label = null] = process.argv.slice(2);
if (!quiz) throw new Error("which quiz? node docs/recipes/publish.js quiz_... [label]");
const run = process.env.RUN ?? String(Date.now());

const saved = await send("POST", `/v1/quizzes/${quiz}/versions`, {
  body: label === null ? {} : { label },
  headers: { "idempotency-key": `save-${run}` },
}).then((response) => response.json());
await send("POST", `/v1/quizzes/${quiz}/versions/${saved.id}/publish`, {
  headers: { "idempotency-key": `publish-${run}` },
});
const { name, published_version } = await read(`/v1/quizzes/${quiz}`);
console.log(`${name}: version ${saved.number} is ${published_version === saved.id ? "live" : "saved"}`);
