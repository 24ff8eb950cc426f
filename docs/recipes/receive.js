import { createServer } from "node:http";
import { verifyWebhook, WebhookError } from "@quizstore/client";

/**
 * A receiver of webhooks: verifies the signature over the bytes as they came, answers at once, and does the work of an
 * event once, however often it is delivered.
 *
 *   SECRET=whsec_... PORT=3000 node docs/recipes/receive.js
 */

const { SECRET, PORT = "3000" } = process.env;
if (!SECRET) throw new Error("which secret? SECRET=whsec_... node docs/recipes/receive.js");
/** several, newest first, while a rotated secret is still valid */
const secrets = SECRET.split(" ");
/** in a shop of your own, a table with the event's id as its key */
const done = new Set();

/** One that breaks off in the middle, or is not the service's, must not stop the program. */
async function receive(request, response) {
  const parts = [];
  for await (const part of request) parts.push(part);
  const event = await verifyWebhook(request.headers, Buffer.concat(parts), secrets);
  response.writeHead(204).end();
  if (done.has(event.id)) return;
  done.add(event.id);
  console.log(`${event.type} ${event.id}`);
}

const server = createServer((request, response) => {
  receive(request, response).catch((error) => {
    if (!(error instanceof WebhookError)) console.error(error);
    if (!response.headersSent) response.writeHead(error instanceof WebhookError ? 401 : 500).end();
  });
});
server.listen(Number(PORT), () => console.log("receiving"));
