import { creamId, creamVariant, fullQuiz, oilId } from "./documents.ts";
import type { Client, ListOf, Person } from "./http.ts";
import { type Place, until } from "./program.ts";
import { importLines, publishQuiz, type Shop } from "./shop.ts";
import { order, product, Shopify } from "./shopify.ts";
import { type Live, newId, type StorefrontEvent, Visit } from "./visit.ts";

/**
 * Ten visits of seven shoppers on three days, and their orders: few enough to count by hand, so they are written out
 * instead of generated.
 */

const minute = 60_000;
export const day = 24 * 60 * minute;
const midnight = Math.floor(Date.now() / day) * day;

/** Epoch ms of a time of day, UTC, some days ago. */
export const moment = (daysAgo: number, time: string): number =>
  midnight - daysAgo * day + Date.parse(`1970-01-01T${time}Z`);

/** The calendar day of a moment in a zone. */
export const dayIn = (zone: string, at: number): string =>
  new Intl.DateTimeFormat("en-CA", { timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit" }).format(at);

/** The UTC day some days ago. */
export const daysAgo = (count: number): string => dayIn("UTC", midnight - count * day);

/** One visit as it was sent. Times are epoch ms; null: did not happen. */
export interface Told {
  name: string;
  id: string;
  visitor: string;
  channel: string;
  device: string;
  country: string;
  host: string;
  mail: string | null;
  opened: number;
  started: number | null;
  completed: number | null;
  emailLeft: number | null;
  phoneLeft: number | null;
  denied: number | null;
  answers: Record<string, unknown>;
}

interface Shopper {
  visitor: string;
  from: number;
  channel?: string;
  phone?: boolean;
  country?: string;
  referrer?: string;
  mail?: string;
}

const agents = {
  mobile:
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1",
  desktop:
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36",
};

const begin = (v: Visit): StorefrontEvent[] => [v.opened(), v.entered("welcome", "start"), v.entered("skin_page")];
const skin = (v: Visit, option: string): StorefrontEvent[] => [...begin(v), v.chose("skin_page", "skin", option)];
const looks = (v: Visit): StorefrontEvent[] => [
  ...[...skin(v, "dry"), v.entered("look_page"), v.chose("look_page", "look", "matte")],
];
const tells = (v: Visit, age: number): StorefrontEvent[] => [
  ...[v.entered("about_page", "next", { hidden_page_keys: ["oily_page"] }), v.wrote("about_page", "age", age)],
];
const contact = (v: Visit, mail?: string, consent?: boolean): StorefrontEvent[] => [
  ...(mail === undefined ? [] : [v.wrote("contact", "mail", mail, consent)]),
];
const end = (v: Visit): StorefrontEvent[] => {
  const shown = [
    { product_id: creamId, variant_id: creamVariant, position: 1, source: "winner" },
    { product_id: oilId, variant_id: null, position: 2, source: "winner" },
  ];
  return [v.entered("result"), v.shown("result", "block", shown), v.finished("result")];
};

function told(name: string, facts: Shopper, visit: Visit, events: readonly StorefrontEvent[]): Told {
  const at = (holds: (event: StorefrontEvent) => boolean): number | null => {
    const found = events.find(holds);
    return found === undefined ? null : Date.parse(found.at);
  };
  const saved = events.filter(({ type }) => type === "answer_saved");
  return {
    ...{ name, id: visit.session.id, visitor: facts.visitor, mail: facts.mail ?? null },
    ...{ channel: facts.channel ?? "embed", device: facts.phone ? "mobile" : "desktop" },
    ...{
      country: facts.country ?? "unknown",
      host: new URL((facts.referrer ?? "https://search.example/") || "https://direct").host,
    },
    opened: Date.parse(events[0]?.at ?? ""),
    started: at(({ type }) => type === "answer_saved"),
    completed: at(({ type }) => type === "quiz_finished"),
    emailLeft: at((event) => event["component_key"] === "mail" && event["consent"] !== false),
    phoneLeft: at((event) => event["component_key"] === "tel"),
    denied: at((event) => event["consent"] === false),
    answers: Object.fromEntries(saved.map((event) => [event["component_key"], event["value"] ?? event["option_ids"]])),
  };
}

export interface Week {
  live: Live;
  all: Told[];
  named: (name: string) => Told;
  /** Sends the finish of the shopper whose visit spans midnight. */
  finishNight: () => Promise<void>;
}

type Script = (visit: Visit) => StorefrontEvent[];

type BringIn = (line: string) => Promise<Record<string, unknown>>;

/**
 * Sends the visits over HTTP, except the one that is too old for live events, which is imported; the one around
 * midnight stays unfinished until `finishNight`.
 */
async function shoppersOf(live: Live, bringIn: BringIn): Promise<Week> {
  const all: Told[] = [];
  const [v1, v2, v3, v4] = [newId("vis"), newId("vis"), newId("vis"), newId("vis")];
  const make = (facts: Shopper): Visit => {
    const { visitor, channel = "embed", referrer = "https://search.example/find?q=a", country } = facts;
    const agent = { "user-agent": facts.phone ? agents.mobile : agents.desktop };
    const headers = country === undefined ? agent : { ...agent, "x-country": country };
    return new Visit(live, {
      from: facts.from,
      step: 10_000,
      headers,
      session: { visitor_id: visitor, channel, referrer },
    });
  };
  const post = async (visit: Visit, events: StorefrontEvent[]): Promise<void> => {
    const answer = await visit.send(...events);
    if (answer.body.accepted !== events.length) throw new Error(answer.text);
  };
  const send = async (name: string, facts: Shopper, script: Script): Promise<void> => {
    const visit = make(facts);
    const events = script(visit);
    await post(visit, events);
    all.push(told(name, facts, visit, events));
  };
  const early = { visitor: newId("vis"), from: moment(8, "08:00"), country: "DE" };
  const history = make(early);
  const past = [...looks(history), ...tells(history, 60), history.entered("contact"), ...end(history)];
  await bringIn(JSON.stringify({ ...JSON.parse(history.line(past)), user_agent: agents.desktop, country: "DE" }));
  all.push(told("early", early, history, past));
  const ada = { visitor: v1, from: moment(2, "10:00"), country: "DE", mail: "ada@example.com" };
  await send("ada", ada, (v) => [
    ...[...looks(v), ...tells(v, 41), v.entered("contact"), ...contact(v, ada.mail, true)],
    ...[v.wrote("contact", "tel", "+4915112345670"), ...end(v)],
  ]);
  const jumps = { visitor: v2, from: moment(2, "10:05"), channel: "popup", phone: true, country: "FR" };
  await send("jumps", { ...jumps, mail: "bea@example.com" }, (v) => [
    ...[...skin(v, "normal"), v.entered("contact", "jump", { jump_rule_key: "normal_rule" })],
    ...[...contact(v, "bea@example.com", false), ...end(v)],
  ]);
  await send("leaves", { visitor: v3, from: moment(2, "11:00"), phone: true, country: "DE" }, (v) => [
    ...[...skin(v, "oily"), v.entered("look_page"), v.entered("oily_page", "skip"), v.entered("look_page", "back")],
    ...[v.entered("oily_page"), v.event("quiz_closed")],
  ]);
  await send("looks", { visitor: v4, from: moment(2, "11:30"), referrer: "" }, (v) => begin(v).slice(0, 2));
  await send("idles", { visitor: v1, from: moment(1, "09:00"), country: "DE" }, (v) => [...looks(v), ...tells(v, 30)]);
  const quiet = { visitor: newId("vis"), from: moment(1, "09:30"), referrer: "https://blog.example/" };
  await send("quiet", quiet, (v) => [...looks(v), ...tells(v, 25), v.entered("contact"), ...end(v)]);
  const later = { visitor: v2, channel: "popup", country: "FR" };
  await send("restarts", { ...later, from: moment(1, "12:00") }, (v) => [
    ...[...skin(v, "oily"), v.event("quiz_restarted", { next_session_id: newId("sess") })],
  ]);
  const hans = { ...later, from: moment(1, "12:01"), mail: "hans@example.com" };
  await send("hans", hans, (v) => [
    ...[...looks(v), ...tells(v, 33), v.entered("contact"), ...contact(v, hans.mail, true), ...end(v)],
  ]);
  const owl = { visitor: newId("vis"), from: moment(2, "23:58"), country: "DE" };
  const night = make(owl);
  const before = looks(night);
  await post(night, before);
  all.push(told("night", owl, night, before));
  const finishNight = async (): Promise<void> => {
    const after = [...tells(night.idle(10), 41), night.entered("contact"), ...end(night)];
    await post(night, after);
    all[all.length - 1] = told("night", owl, night, [...before, ...after]);
  };
  const named = (name: string): Told => {
    const found = all.find((one) => one.name === name);
    if (found === undefined) throw new Error(name);
    return found;
  };
  return { live, all, named, finishNight };
}

/** When Ada and Bea bought, and somebody who took no quiz. */
export const bought = { ada: moment(2, "11:00"), bea: moment(1, "20:00"), other: moment(1, "21:00") };

/** Publishes the full quiz, sends the visits, then the orders, and waits until these have been processed. */
export async function sendWeek(program: Place, shop: Shop, api: Client): Promise<Week> {
  const live = await publishQuiz(program, shop, fullQuiz, "Full quiz");
  const week = await shoppersOf(live, (line) => importLines(program.data, "events", shop.store_id, [line], "--emit"));
  const shopify = new Shopify(program, shop);
  const large = { id: 1011, title: "Large", price: "19.90" };
  await shopify.send("products/create", product({ id: 101, title: "Cream", variants: [large] }));
  const properties = [{ name: "_quiz_session", value: week.named("ada").id }];
  const cream = { product: 101, variant: 1011, price: "19.90", quantity: 2, discount: "1.80", properties };
  const [oil, soap] = [
    { product: 102, price: "7.00", title: "Oil" },
    { product: 103, price: "5.00", title: "Soap" },
  ];
  const orders = [
    order({ at: bought.ada, total: "40.00", email: "ada@example.com", lines: [cream] }),
    order({ at: bought.bea, total: "12.00", email: "bea@example.com", lines: [oil, soap] }),
    order({ at: bought.other, total: "48.00", email: "other@example.com", lines: [soap] }),
  ];
  for (const payload of orders) await shopify.send("orders/create", payload);
  const people = await until(
    async () => (await api.get<ListOf<Person>>("/v1/profiles?has_order=true")).body.data,
    (some) => some.length === 2,
  );
  if (people.length !== 2) throw new Error("the orders were not matched");
  return week;
}
