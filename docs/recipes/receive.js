import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

/**
 * A receiver of webhooks: verifies the signature over the bytes as they came, answers at once, and does the work of an
 * event once, however often it is delivered.
 *
 *   SECRET=whsec_... PORT=3000 node docs/recipes/receive.js
 */

const secret = Buffer.from(String(process.env.SECRET).replace("whsec_", ""), "base64");
const toleranceSeconds = 300;
/** in a shop of your own, a table with the event's id as its key */
const done = new Set();

function isGenuine(headers, bytes) {
  const sent = Number(headers["webhook-timestamp"]);
  if (!(Math.abs(Date.now() / 1000 - sent) <= toleranceSeconds)) return false;
  const signed = createHmac("sha256", secret).update(`${headers["webhook-id"]}.${sent}.`).update(bytes).digest();
  // several, newest first, while a rotated secret is still valid
  return String(headers["webhook-signature"])
    .split(" ")
    .map((each) => Buffer.from(each.replace("v1,", ""), "base64"))
    .some((each) => each.length === signed.length && timingSafeEqual(each, signed));
}

const server = createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  const bytes = Buffer.concat(parts);
  if (!isGenuine(request.headers, bytes)) {
    response.writeHead(401).end();
    return;
  }
  response.writeHead(204).end();
  const event = JSON.parse(bytes.toString());
  if (done.has(event.id)) return;
  done.add(event.id);
  console.log(`${event.type} ${event.id}`);
});
server.listen(Number(process.env.PORT ?? 3000), () => console.log("receiving"));
