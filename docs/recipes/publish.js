import { getQuiz, publishVersion, saveVersion } from "@quizstore/client";
import { client } from "./client.js";

/**
 * Saves a quiz's draft as a version and publishes it. Both requests carry an idempotency key of this run: should an answer
 * be lost, the same call repeated answers the same, and makes no second version.
 *
 *   node docs/recipes/publish.js quiz_... "Autumn wording"
 */

const [quiz_id, label = null] = process.argv.slice(2);
if (!quiz_id) throw new Error("which quiz? node docs/recipes/publish.js quiz_... [label]");
const run = process.env.RUN ?? String(Date.now());

const body = label === null ? {} : { label };
const saved = await saveVersion(client, { path: { quiz_id }, body }, { idempotencyKey: `save-${run}` });
const path = { quiz_id, version_id: saved.id };
await publishVersion(client, { path }, { idempotencyKey: `publish-${run}` });
const { name, published_version } = await getQuiz(client, { path: { quiz_id } });
console.log(`${name}: version ${saved.number} is ${published_version === saved.id ? "live" : "saved"}`);
