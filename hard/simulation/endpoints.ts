import { type EventTopic, eventTopics } from "../../contract/events.ts";
import { call, sameSet, walkList } from "./call.ts";
import type { KnownEndpoint, Shop } from "./ledger.ts";
import { connect, moods, type Receiver, receiversFor } from "./receivers.ts";
import type { World } from "./world.ts";

/** Integrators who manage their webhook endpoints. */

const newUrl = (shop: Shop): string => `https://hooks.${shop.marker}.test/${++shop.messages}`;
const overlapMs = 24 * 3_600_000;

const drawTopics = (world: World, includePii: boolean): EventTopic[] => {
  const { steps } = world.draws;
  const possible = eventTopics.filter((topic) => includePii || topic !== "identity.captured");
  const topics = possible.filter(() => steps.chance(0.6));
  return topics.length > 0 ? topics : ["quiz.finished"];
};

export async function createEndpoint(world: World, shop: Shop): Promise<void> {
  const { steps } = world.draws;
  const includePii = steps.chance(0.6);
  const topics = drawTopics(world, includePii);
  const quizIds = steps.chance(0.2) && shop.live.length > 0 ? [steps.pick(shop.live).id] : null;
  const url = newUrl(shop);
  const body = { url, topics, include_pii: includePii, ...(quizIds ? { quiz_ids: quizIds } : {}) };
  const full = shop.present.length >= 5;
  const answer = await call(world, shop, "POST", "/v1/webhooks", { body, expected: full ? [409] : [201] });
  if (answer?.status !== 201) return;
  const endpoint: KnownEndpoint = {
    id: answer.body.id,
    urls: [url],
    topics: new Set(topics),
    everHeard: new Set(topics),
    includePii,
    stripped: false,
    quizIds,
    enabled: true,
    deleted: false,
    secrets: [{ text: answer.body.secret, until: Number.POSITIVE_INFINITY }],
    changedAt: Number.NEGATIVE_INFINITY,
  };
  shop.endpoints.push(endpoint);
  const receiver: Receiver = { endpoint, mood: steps.pick(moods), saidGone: false, heard: new Map() };
  receiversFor(shop).set(endpoint.id, receiver);
  connect(world, shop, receiver, url);
}

export async function changeEndpoint(world: World, shop: Shop): Promise<void> {
  const { steps } = world.draws;
  if (shop.present.length === 0) return createEndpoint(world, shop);
  const endpoint = steps.pick(shop.present);
  const path = `/v1/webhooks/${endpoint.id}`;
  const deed = steps.pick(["topics", "pii", "url", "off", "on", "rotate", "reveal", "delete", "mood", "mood"]);
  if (deed === "mood") return void changeMood(world, shop, endpoint);
  if (deed === "delete") {
    const answer = await call(world, shop, "DELETE", path, { expected: [204] });
    if (answer) Object.assign(endpoint, { deleted: true, changedAt: world.time.elapsed() });
    return;
  }
  if (deed === "rotate" || deed === "reveal") return secretDeed(world, shop, endpoint, deed);
  const topics = deed === "topics" ? drawTopics(world, endpoint.includePii) : [...endpoint.topics];
  const includePii = deed === "pii" ? !endpoint.includePii : endpoint.includePii;
  const heard = topics.filter((topic) => includePii || topic !== "identity.captured");
  const url = deed === "url" ? newUrl(shop) : endpoint.urls[0];
  const changes = {
    ...(deed === "topics" || deed === "pii" ? { topics: heard.length > 0 ? heard : ["quiz.finished"] } : {}),
    ...(deed === "pii" ? { include_pii: includePii } : {}),
    ...(deed === "url" ? { url } : {}),
    ...(deed === "off" ? { status: "disabled" } : {}),
    ...(deed === "on" ? { status: "enabled" } : {}),
  };
  const answer = await call(world, shop, "PATCH", path, { body: changes });
  if (answer === null) return;
  endpoint.topics = new Set(answer.body.topics);
  for (const topic of endpoint.topics) endpoint.everHeard.add(topic);
  endpoint.stripped ||= endpoint.includePii && !answer.body.include_pii;
  endpoint.includePii = answer.body.include_pii;
  endpoint.enabled = answer.body.status === "enabled";
  endpoint.changedAt = world.time.elapsed();
  const receiver = receiversFor(shop).get(endpoint.id);
  if (url !== undefined && url !== endpoint.urls[0]) {
    endpoint.urls.unshift(url);
    if (receiver) connect(world, shop, receiver, url);
  }
}

async function secretDeed(world: World, shop: Shop, endpoint: KnownEndpoint, deed: "rotate" | "reveal"): Promise<void> {
  const answer = await call(world, shop, "POST", `/v1/webhooks/${endpoint.id}/${deed}-secret`);
  if (answer === null) return;
  const { secret } = answer.body;
  if (deed === "reveal") {
    if (secret !== endpoint.secrets[0]?.text) world.fail(`${endpoint.id} revealed another secret than it was given`);
    return;
  }
  for (const old of endpoint.secrets) old.until = Math.min(old.until, world.time.now() + overlapMs);
  endpoint.secrets.unshift({ text: secret, until: Number.POSITIVE_INFINITY });
  endpoint.changedAt = world.time.elapsed();
}

function changeMood(world: World, shop: Shop, { id }: KnownEndpoint): void {
  const receiver = receiversFor(shop).get(id);
  if (receiver) receiver.mood = world.draws.steps.pick(moods);
}

/** Pings, resent deliveries, and reads of secrets and lists. */
export async function useEndpoint(world: World, shop: Shop): Promise<void> {
  const { steps } = world.draws;
  if (shop.present.length === 0) return createEndpoint(world, shop);
  const endpoint = steps.pick(shop.present);
  const path = `/v1/webhooks/${endpoint.id}`;
  switch (steps.pick(["ping", "deliveries", "redeliver", "redeliver", "failed", "list"])) {
    case "ping":
      return void (await call(world, shop, "POST", `${path}/ping`, { expected: [202, 409] }));
    case "failed": {
      const since = new Date(world.time.now() - 3_600_000 * steps.int(1, 72)).toISOString();
      return void (await call(world, shop, "POST", `${path}/redeliver-failed`, {
        body: { since },
        expected: [202, 409],
      }));
    }
    case "list": {
      const rows = await walkList(world, shop, "/v1/webhooks", steps.int(1, 3));
      if (rows)
        sameSet(
          world,
          "endpoints listed",
          rows.map(({ id }) => id),
          shop.present.map(({ id }) => id),
        );
      return;
    }
    case "deliveries":
      return void (await walkList(world, shop, `${path}/deliveries`, steps.int(5, 50)));
    case "redeliver": {
      const answer = await call(world, shop, "GET", `${path}/deliveries?limit=20`);
      const rows = answer?.body.data ?? [];
      if (rows.length === 0) return;
      const { id } = steps.pick(rows as { id: string }[]);
      await call(world, shop, "POST", `${path}/deliveries/${id}/redeliver`, { expected: [202, 409] });
    }
  }
}
