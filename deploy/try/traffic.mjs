// Shoppers and an integrator at an address, 20 requests of each a second, none of them ever repeated:
//   node traffic.mjs URL SECONDS, with PUB, QUIZ, VERSION and KEY in the environment
// Prints how many events were accepted, and every request that was not answered as it should.
import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";

const [url, seconds] = process.argv.slice(2);
const { PUB, QUIZ, VERSION, KEY } = process.env;
const id = (prefix) => `${prefix}_${randomBytes(16).toString("hex")}`;
const outcome = { accepted: 0, answered: 0, failures: [], slowest_ms: 0 };

async function ask(kind, path, init, good) {
  const began = performance.now();
  const failed = (why) => outcome.failures.push(`${new Date().toISOString()} ${kind}: ${why}`);
  try {
    const response = await fetch(url + path, { ...init, signal: AbortSignal.timeout(30_000) });
    const body = await response.json();
    if (good(response.status, body)) outcome.answered += 1;
    else failed(`${response.status} ${JSON.stringify(body).slice(0, 120)}`);
    if (kind === "event" && response.status === 202) outcome.accepted += body.accepted;
  } catch (error) {
    failed(error.cause?.code ?? error.message);
  }
  outcome.slowest_ms = Math.max(outcome.slowest_ms, Math.round(performance.now() - began));
}

function shopper() {
  const session = {
    id: id("sess"),
    visitor_id: id("vis"),
    quiz_id: QUIZ,
    version_id: VERSION,
    channel: "online_store",
  };
  const at = new Date().toISOString();
  const events = [
    { id: `evt_${randomUUID()}`, seq: 0, at, type: "quiz_opened" },
    { id: `evt_${randomUUID()}`, seq: 1, at, type: "page_entered", page_key: "taste", cause: "start" },
  ];
  const body = JSON.stringify({ store: PUB, sent_at: at, session, events });
  const init = { method: "POST", headers: { "content-type": "application/json" }, body };
  return ask("event", "/storefront/v1/events", init, (status, answer) => status === 202 && answer.accepted === 2);
}

const integrator = () =>
  ask("read", "/v1/quizzes?limit=1", { headers: { authorization: `Bearer ${KEY}` } }, (status) => status === 200);

const running = [];
for (const end = Date.now() + Number(seconds) * 1_000; Date.now() < end; await pause(50))
  running.push(shopper(), integrator());
await Promise.all(running);
process.stdout.write(`${JSON.stringify({ failed: outcome.failures.length, ...outcome })}\n`);
