import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { creamId, creamVariant, fullQuiz, shortQuiz } from "./documents.ts";
import { type Client, type ListOf, pagesOf, type VersionSummary } from "./http.ts";
import { installedFolder } from "./installed.ts";
import { cleanUp, command, type Program, start, until } from "./program.ts";
import {
  deliveriesOf,
  type Endpoint,
  type Envelope,
  endpointOf,
  type FeedEntry,
  openReceiver,
  ping,
  type Receiver,
  subscribe,
  verified,
} from "./receiver.ts";
import { openShopWithKey, publishQuiz, type Shop } from "./shop.ts";
import { type Live, newId, Visit } from "./visit.ts";

/** What shoppers and publishing cause reaches an integrator's receiver; time passes 600 times as fast. */

const speed = 600;
const sessionTopics = ["quiz.started", "quiz.finished", "quiz.abandoned", "profile.created", "profile.updated"];
const everyTopic = [...sessionTopics, "identity.captured", "quiz.published", "webhook.endpoint.disabled"];

let data: string;
let receiver: Receiver;
let program: Program;
let settings: Record<string, string>;
let shop: Shop;
let api: Client;
let live: Live;
let open: Endpoint & { secret: string };
let closed: Endpoint & { secret: string };

beforeAll(async () => {
  data = await installedFolder();
  receiver = await openReceiver();
  settings = { CLOCK_SPEED: String(speed), WEBHOOK_ALLOW_HOSTS: receiver.host, GEO_COUNTRY_HEADER: "x-country" };
  program = await start(data, settings);
  ({ shop, api } = await openShopWithKey(program, { limits: { capacity: 100_000, leak_per_second: 10_000 } }));
  open = await subscribe(api, receiver.address("/open"), everyTopic, { include_pii: true, description: "All" });
  closed = await subscribe(api, receiver.address("/closed"), [...sessionTopics, "quiz.published"]);
  live = await publishQuiz(program, shop, fullQuiz, "Full quiz");
}, 120_000);

afterAll(async () => {
  await program?.stop();
  await receiver?.close();
  await cleanUp(data);
});

const opening = { step: 1, headers: { "x-country": "DE" } };
const begin = (at: Live, session: Record<string, unknown> = {}): Visit =>
  new Visit(at, { ...opening, from: Date.now(), session });

/** The object of the event of a topic about one session (or person of that session), once it has arrived. */
async function told(path: string, secret: string, type: string, about: string, among = 1): Promise<Envelope[]> {
  const mine = ({ envelope: { type: topic, data } }: { envelope: Envelope }): boolean =>
    topic === type && [data.object["id"], data.object["session_id"]].includes(about);
  const all = await receiver.wait(path, (some) => some.filter(mine).length >= among);
  const found = all.filter(mine).map((one) => verified(secret, one));
  expect([type, found.length]).toEqual([type, among]);
  return found;
}

const tell = async (secret: string, path: string, type: string, about: string) =>
  (await told(path, secret, type, about))[0]?.data.object ?? {};

const keysOf = (object: Record<string, unknown>): string[] => Object.keys(object).sort();
const utm = ["utm_source", "utm_medium", "utm_campaign", "utm_content", "utm_term"];
const startedKeys = [
  ...["id", "quiz_id", "quiz_name", "version_id", "version_number", "visitor_id", "channel", "placement", "country"],
  ...["region", "page_url", ...utm, "started_at", "device"],
].sort();
const sessionKeys = [
  ...["id", "quiz_id", "quiz_name", "version_id", "version_number", "visitor_id", "started_at", "ended_at", "channel"],
  ...["device", "country", "page_url", ...utm, "answers", "last_page", "answered_count"],
];
const finishedKeys = [
  ...["completed_at", "formulas", "points", "points_total", "terminal_page", "outcome", "products_shown"],
  "property_mappings",
];

describe("a whole quiz, told to two endpoints", () => {
  let visit: Visit;

  beforeAll(async () => {
    visit = begin(live);
    await visit.send(visit.opened(), visit.entered("welcome", "start"), visit.entered("skin_page"));
    await visit.send(visit.chose("skin_page", "skin", "dry"), visit.chose("skin_page", "concerns", "acne", "lines"));
    const about = [visit.wrote("about_page", "age", 41), visit.wrote("about_page", "story", "Free text")];
    const dated = visit.wrote("about_page", "visit", { date: "2026-03-04", time: "09:30" });
    await visit.send(visit.entered("about_page"), ...about, dated);
    await visit.send(visit.entered("contact"), visit.wrote("contact", "mail", " Told@Example.com ", false));
    await visit.send(visit.wrote("contact", "tel", "030 12345678"));
    const cream = { product_id: creamId, variant_id: creamVariant, position: 1, source: "winner" };
    await visit.send(visit.entered("result"), visit.shown("result", "block", [cream]), visit.finished("result"));
  });

  const place = () => ({
    ...{ id: visit.session.id, quiz_id: live.quiz_id, quiz_name: "Full quiz", version_id: live.version_id },
    ...{ version_number: 1, visitor_id: visit.session["visitor_id"], channel: "embed", country: "DE" },
    ...{ page_url: "https://shop.example/pages/quiz", utm_source: "news", utm_medium: "email", utm_campaign: "june" },
    ...{ utm_content: null, utm_term: null },
  });

  it("starts with the first answer, without answers and contacts [webhooks.quiz-started]", async () => {
    const [event] = await told("/closed", closed.secret, "quiz.started", visit.session.id);
    expect(event).toMatchObject({ id: expect.stringMatching(/^evt_[0-9a-f]{32}$/), api_version: "v1" });
    expect(Object.keys(event ?? {}).sort()).toEqual(["api_version", "created", "data", "id", "type"]);
    const object = event?.data.object ?? {};
    expect(object).toMatchObject({ ...place(), placement: "home", region: null });
    expect(keysOf(object)).toEqual(startedKeys);
    expect(keysOf(object["device"] as Record<string, unknown>)).toEqual(
      ["class", "family", "vendor", "model", "browser", "browser_version", "os", "os_version"].sort(),
    );
    expect(await told("/open", open.secret, "quiz.started", visit.session.id)).toEqual([event]);
  });

  it("captures the email and the phone, each once, for the endpoint with contacts alone [webhooks.identity-captured]", async () => {
    const events = await told("/open", open.secret, "identity.captured", visit.session.id, 2);
    const objects = events.map(({ data: { object } }) => object);
    const email = { kind: "email", value: "told@example.com", consent: false };
    const phone = { kind: "phone", value: "+493012345678", consent: null };
    const identities = objects.map((object) => object["identity"]);
    expect(identities).toContainEqual({ ...email, page_key: "contact", component_key: "mail" });
    expect(identities).toContainEqual({ ...phone, page_key: "contact", component_key: "tel" });
    for (const object of objects) {
      expect(object).toMatchObject({ ...place(), completed_at: null, terminal_page: null, products_shown: [] });
      expect(keysOf(object)).toEqual([...sessionKeys, ...finishedKeys, "identities", "identity"].sort());
      expect(object["identities"]).toContainEqual(object["identity"]);
    }
    const mail = objects.find((object) => (object["identity"] as { kind: string }).kind === "email");
    expect(mail?.["answers"]).toMatchObject({ mail: { kind: "email", value: " Told@Example.com " } });
    expect(receiver.at("/closed").map(({ envelope }) => envelope.type)).not.toContain("identity.captured");
  });

  it("finishes about a minute later, with all of the session [webhooks.quiz-finished]", async () => {
    const [event] = await told("/open", open.secret, "quiz.finished", visit.session.id);
    const object = event?.data.object ?? {};
    expect(keysOf(object)).toEqual([...sessionKeys, ...finishedKeys, "identities"].sort());
    expect(object).toMatchObject({ ...place(), answered_count: 7, ended_at: object["completed_at"] });
    expect(object["last_page"]).toEqual({ page_key: "result", title: "Title of result", position: 7 });
    expect(object["answers"]).toMatchObject({
      skin: {
        ...{ page_key: "skin_page", kind: "choice", option_ids: ["dry"], values: ["Label of dry"] },
        label: "Question skin?",
      },
      concerns: { option_ids: ["acne", "lines"], values: ["Label of acne", "Label of lines"] },
      age: { page_key: "about_page", kind: "number", value: 41, values: [expect.stringContaining("41")] },
      visit: { kind: "date", value: { date: "2026-03-04", time: "09:30" } },
      story: { kind: "text", value: "Free text", label: "Question story?" },
    });
    const glow = { dimension_id: "glow", name: "Glow", total: 4.5 };
    expect(object["points_total"]).toBe(5.5);
    expect(object["points"]).toEqual([{ dimension_id: "calm", name: "Calming", total: 1 }, glow]);
    expect(object["formulas"]).toEqual([{ page_key: "about_page", component_key: "dose", label: "Dose", value: 83 }]);
    const unknown = { handle: null, title: null, variant_title: null, price: null, currency: null, image: null };
    const cream = { product_id: creamId, variant_id: creamVariant, block_key: "block", ...unknown };
    expect(object["products_shown"]).toEqual([{ ...cream, page_key: "result", position: 1, source: "winner" }]);
    const outcome = { page_key: "result", dimension_id: null, name: "Title of result" };
    expect(object["outcome"]).toEqual(outcome);
    expect(object["terminal_page"]).toEqual({
      ...{ page_key: "result", title: "Title of result", position: 7, page_count: 7 },
      shown_products: [cream],
      outcome,
    });
    expect(object["property_mappings"]).toEqual([
      {
        ...{ question_key: "skin", question_label: "Question skin?", property_name: "skin_type" },
        option_values: ["Label of dry"],
      },
    ]);
    expect(Date.parse(event?.created ?? "")).toBe(Date.parse(String(object["completed_at"])));
  });

  it("keeps contacts from the endpoint that did not ask for them, and no other answer [webhooks.privacy]", async () => {
    const object = await tell(closed.secret, "/closed", "quiz.finished", visit.session.id);
    const whole = await tell(open.secret, "/open", "quiz.finished", visit.session.id);
    const { mail, tel, ...answers } = whole["answers"] as Record<string, unknown>;
    expect([mail, tel]).toEqual([expect.anything(), expect.anything()]);
    const { identities, ...rest } = whole;
    expect(identities).toHaveLength(2);
    expect({ ...object, answered_count: 0 }).toEqual({ ...rest, answers, answered_count: 0 });
    await receiver.wait("/closed", (all) => all.some(({ envelope }) => envelope.type === "profile.updated"));
    const everything = receiver.at("/closed").map(({ text }) => text.toLowerCase());
    expect(everything.filter((text) => text.includes("told@example.com") || text.includes("12345678"))).toEqual([]);
  });

  it("creates the person, and updates it with the phone [people.event-object, people.events]", async () => {
    const [created] = await told("/open", open.secret, "profile.created", visit.session.id);
    const [updated] = await told("/open", open.secret, "profile.updated", visit.session.id);
    const object = created?.data.object ?? {};
    const seen = { first_seen_at: expect.any(String), last_seen_at: expect.any(String) };
    const email = { kind: "email", value: "told@example.com", consent: false, ...seen };
    expect(object).toEqual({
      ...{ id: expect.stringMatching(/^prof_/), created_at: expect.any(String), ...seen },
      ...{ session_id: visit.session.id, quiz_id: live.quiz_id, identities: [email] },
      ...{ identities_from_session: ["email"], urls: { dashboard: expect.stringContaining(String(object["id"])) } },
    });
    const phone = { kind: "phone", value: "+493012345678", consent: null, ...seen };
    expect(updated?.data.object).toMatchObject({ id: object["id"], session_id: visit.session.id });
    expect(updated?.data.object["identities"]).toHaveLength(2);
    expect(updated?.data.object["identities"]).toEqual(expect.arrayContaining([email, phone]));
    const [quiet] = await told("/closed", closed.secret, "profile.created", visit.session.id);
    const { identities, ...rest } = object;
    expect([quiet?.id, quiet?.data.object, identities]).toEqual([created?.id, rest, [email]]);
  });

  it("is never abandoned, and the known contact typed again changes no person [webhooks.quiz-abandoned, people.known-contact, people.events]", async () => {
    const again = begin(live);
    await again.send(again.chose("skin_page", "skin", "oily"), again.wrote("contact", "mail", "told@example.com"));
    const object = await tell(open.secret, "/open", "quiz.abandoned", again.session.id);
    expect(keysOf(object)).toEqual([...sessionKeys, "identities"].sort());
    expect(object).toMatchObject({ answered_count: 2, id: again.session.id, quiz_name: "Full quiz" });
    const idle = Date.parse(String(object["ended_at"])) - Date.parse(String(object["started_at"]));
    expect(idle).toBeGreaterThanOrEqual(30 * 60_000 - 1000);
    const quiet = await tell(closed.secret, "/closed", "quiz.abandoned", again.session.id);
    expect(Object.keys(quiet["answers"] as object)).toEqual(["skin"]);
    const types = (about: string) =>
      receiver
        .at("/open")
        .filter(({ envelope: { data } }) => [data.object["id"], data.object["session_id"]].includes(about))
        .map(({ envelope }) => envelope.type)
        .sort();
    expect(types(again.session.id)).toEqual(["identity.captured", "quiz.abandoned", "quiz.started"]);
    const captured = ["identity.captured", "identity.captured"];
    const people = ["profile.created", "profile.updated"];
    expect(types(visit.session.id)).toEqual([...captured, ...people, "quiz.finished", "quiz.started"]);
  });

  it("was published, from the command line and through the API [quizzes.publish-event]", async () => {
    const made = await api.post<VersionSummary>(`/v1/quizzes/${live.quiz_id}/versions`, {});
    await api.post(`/v1/quizzes/${live.quiz_id}/versions/${made.body.id}/publish`);
    await api.post(`/v1/quizzes/${live.quiz_id}/versions/${made.body.id}/publish`);
    const published = ({ envelope }: { envelope: Envelope }) => envelope.type === "quiz.published";
    const all = await receiver.wait("/closed", (some) => some.filter(published).length >= 2);
    await pause(500);
    const objects = all.filter(published).map((one) => verified(closed.secret, one).data.object);
    const quiz = { quiz_id: live.quiz_id, quiz_name: "Full quiz", published_at: expect.any(String) };
    expect(objects).toEqual([
      { ...quiz, version_id: live.version_id, version_number: 1 },
      { ...quiz, version_id: made.body.id, version_number: 2 },
    ]);
  });

  it("stands in the deliveries as it was signed, and in the feed once an event [webhooks.deliveries, webhooks.feed]", async () => {
    const arrived = receiver.at("/closed");
    const listed = await until(
      () => deliveriesOf(api, closed),
      (all) => all.every(({ status }) => status === "delivered"),
    );
    expect(listed.map(({ event_id }) => event_id).sort()).toEqual(arrived.map(({ envelope }) => envelope.id).sort());
    const times = listed.map(({ created_at, id }) => `${created_at} ${id}`);
    expect(times).toEqual(times.toSorted().reverse());
    for (const one of listed) {
      const got = arrived.find(({ envelope }) => envelope.id === one.event_id);
      expect(one.payload).toEqual(got?.envelope);
      expect(one).toMatchObject({ endpoint_id: closed.id, attempts: 1, last_status_code: 200, last_error: null });
      expect(one).toMatchObject({ last_response: "thank you", delivered_at: expect.any(String) });
    }
    const finished = listed.find(({ topic }) => topic === "quiz.finished");
    const waited = Date.parse(finished?.delivered_at ?? "") - Date.parse(finished?.payload?.created ?? "");
    expect(waited).toBeGreaterThanOrEqual(50_000);
    const feed = (await pagesOf<FeedEntry>(api, "/v1/events?limit=5")).flat();
    expect(new Set(feed.map(({ id }) => id)).size).toBe(feed.length);
    const entry = feed.find(({ id }) => id === listed[0]?.event_id);
    expect(keysOf({ ...entry })).toEqual(["api_version", "created", "deliveries", "id", "type"]);
    expect(entry?.deliveries.map(({ endpoint_id }) => endpoint_id).sort()).toEqual([open.id, closed.id].sort());
    const types = (await api.get<ListOf<FeedEntry>>("/v1/events?type=identity.captured")).body.data;
    expect(types.map(({ type, deliveries }) => [type, deliveries.length])).toEqual(
      types.map(() => ["identity.captured", 1]),
    );
    expect(types).toHaveLength(3);
  });
});

describe("a ping", () => {
  it("arrives signed, with the endpoint alone, and stays out of the feed [webhooks.ping]", async () => {
    const made = await ping(api, closed);
    expect(made).toMatchObject({ topic: "ping", status: "pending", attempts: 0, delivered_at: null });
    const all = await receiver.wait("/closed", (some) => some.some(({ envelope }) => envelope.type === "ping"));
    const got = all.find(({ envelope }) => envelope.type === "ping");
    if (got === undefined) throw new Error("no ping");
    expect(verified(closed.secret, got)).toMatchObject({
      id: made.event_id,
      data: { object: { endpoint_id: closed.id } },
    });
    expect(got.headers).toMatchObject({
      ...{ "content-type": "application/json", "user-agent": "QuizStore-Webhooks/1.0" },
      ...{ "accept-encoding": "identity", "webhook-id": made.event_id },
    });
    expect(Math.abs(Number(got.headers["webhook-timestamp"]) * 1000 - got.arrivedAt)).toBeLessThan(20_000);
    expect((await pagesOf<FeedEntry>(api, "/v1/events")).flat().map(({ type }) => type)).not.toContain("ping");
  });

  it("is signed with both secrets while a rotation overlaps [webhooks.rotation]", async () => {
    const rotated = await api.post<{ secret: string }>(`/v1/webhooks/${closed.id}/rotate-secret`);
    const made = await ping(api, closed);
    const mine = ({ envelope }: { envelope: Envelope }) => envelope.id === made.event_id;
    const got = (await receiver.wait("/closed", (some) => some.some(mine))).find(mine);
    if (got === undefined) throw new Error("no ping");
    expect([verified(rotated.body.secret, got), verified(closed.secret, got)]).toEqual([got.envelope, got.envelope]);
  });
});

describe("an endpoint of one quiz", () => {
  it("hears of that quiz only [webhooks.quiz-ids]", async () => {
    const other = await publishQuiz(program, shop, shortQuiz, "Other");
    const narrow = await subscribe(api, receiver.address("/narrow"), ["quiz.started"], { quiz_ids: [other.quiz_id] });
    const [there, here] = [begin(live), begin(other, { visitor_id: newId("vis") })];
    await there.send(there.chose("skin_page", "skin", "oily"));
    await here.send(here.chose("first", "pick", "one"));
    await told("/narrow", narrow.secret, "quiz.started", here.session.id);
    await told("/open", open.secret, "quiz.started", there.session.id);
    expect(receiver.at("/narrow").map(({ envelope }) => envelope.data.object["id"])).toEqual([here.session.id]);
    expect((await endpointOf(api, narrow)).quiz_ids).toEqual([other.quiz_id]);
    expect((await api.delete(`/v1/webhooks/${narrow.id}`)).status).toBe(204);
    expect((await api.get(`/v1/webhooks/${narrow.id}/deliveries`)).status).toBe(404);
  });
});

describe("disconnecting the store", () => {
  it("deletes its endpoints: nothing more is sent [command-line.disconnect]", async () => {
    await command(data, "store", "disconnect", shop.store_id);
    const late = begin(live);
    await late.send(late.chose("skin_page", "skin", "oily"));
    await pause(2500);
    const ids = receiver.at("/open").map(({ envelope }) => envelope.data.object["id"]);
    expect(ids).not.toContain(late.session.id);
  });
});
