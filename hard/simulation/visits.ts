import type { ShopperEvent } from "../../contract/storefront.ts";
import { type Random, uuid } from "../../demo/random.ts";
import { remark, typedContact } from "./contacts.ts";
import { type ScriptStep, walk } from "./documents.ts";
import type { KnownSession, Made, Shop } from "./ledger.ts";
import type { World } from "./world.ts";

/**
 * Visits: who comes, with which browser, and what the visitor does next. testkit/histories.ts generates the walks; this
 * adds the contacts, clocks and mistakes of a whole shop's visitors.
 */

const minute = 60_000;

const browsers: KnownSession["facts"]["browser"][] = [
  {
    userAgent:
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36",
    device: "desktop",
  },
  {
    userAgent:
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
    device: "mobile",
  },
  { userAgent: null, device: "other" },
];

const referrers = [
  { sent: null, kept: null },
  { sent: "https://www.google.com/search?q=x", kept: "www.google.com" },
];

const noCampaign = { source: null, medium: null, campaign: null, content: null, term: null };
const visitors = 7;

/** Null if the shop has no live quiz. */
export function openSession(world: World, shop: Shop, random: Random): KnownSession | null {
  const quizzes = shop.live;
  if (quizzes.length === 0) return null;
  const quiz = random.pick(quizzes);
  // a browser that had the page open already continues with its old version
  const version = random.chance(0.85) ? quiz.versions.length - 1 : random.int(0, quiz.versions.length - 1);
  const edition = quiz.versions[version]?.edition;
  if (!edition) return null;
  const number = shop.sessions.length + 1;
  const session: KnownSession = {
    id: `sess_${random.hex(32)}`,
    visitor: `vis_${shop.marker.endsWith("a") ? "a" : "b"}${String(random.int(1, visitors)).padStart(31, "0")}`,
    quiz,
    version,
    preview: random.chance(0.05),
    facts: {
      channel: random.pick(["online_store", "online_store", "pos_2"]),
      browser: random.pick(browsers),
      country: random.pick(["US", "EE", null]),
      source: { referrer: random.pick(referrers), utm: { ...noCampaign, source: random.pick([null, "spring"]) } },
      page: { sent: `https://${shop.marker}.test/quiz`, kept: `https://${shop.marker}.test/quiz` },
      placement: random.pick([null, `popup ${shop.marker}`]),
    },
    skew: random.pick([0, 0, 0, 5 * minute, -7 * minute, 2 * 24 * 60 * minute]),
    steps: walk(edition, random.int(0, 149)),
    next: 0,
    made: number * 1_000,
    lastAt: world.time.now() - random.int(0, 2_000),
    held: [],
    last: [],
    over: false,
    kept: new Map(),
    person: null,
    erased: false,
  };
  shop.sessions.push(session);
  return session;
}

/** The visitor's events since the last batch. */
export function nextEvents(shop: Shop, session: KnownSession, now: number, random: Random): Made[] {
  const count = Math.min(random.int(1, 7), session.steps.length - session.next);
  const steps = session.steps.slice(session.next, session.next + count);
  session.next += count;
  if (session.next >= session.steps.length) session.over = session.held.length === 0;
  const from = Math.max(session.lastAt, now - 20_000);
  return steps.map((step, index) => {
    const at = Math.min(now, from + Math.floor(((now - from) * (index + 1)) / count));
    session.lastAt = at;
    const seq = random.chance(0.02) ? random.int(0, 30) : step.seq;
    return { event: whole(filledIn(shop, session, step, random), eventId(random), seq), at, refused: null };
  });
}

const eventId = (random: Random): string => `evt_${uuid(random)}`;

/** Builds an event from a step and its position. */
const whole = (step: object, id: string, seq: number): ShopperEvent =>
  // the script that created the step knows which fields belong to which type
  ({ ...step, id, seq, at: "" }) as unknown as ShopperEvent;

/** Contacts and texts are replaced by the shop's own. */
function filledIn(shop: Shop, session: KnownSession, step: ScriptStep, random: Random): object {
  if (step.type !== "answer_saved" || step.value === null || step.value === undefined) return step;
  const edition = session.quiz.versions[session.version]?.edition;
  const kind = edition?.quiz.questions.get(step.component_key)?.component.kind;
  if (kind === "text") return { ...step, value: remark(shop, random) };
  if (kind !== "email" && kind !== "phone") return step;
  return { ...step, value: random.chance(0.1) ? "no contact" : typedContact(shop, kind, random) };
}

const inventions: { refused: string; fields: object }[] = [
  { refused: "unknown_page", fields: { type: "page_entered", page_key: "nowhere", cause: "next" } },
  { refused: "unknown_type", fields: { type: "quiz_danced" } },
  { refused: "invalid", fields: { type: "page_entered", page_key: "skin", cause: "by accident" } },
  {
    refused: "unknown_component",
    fields: { type: "answer_saved", page_key: "nowhere", component_key: "nothing", value: 1 },
  },
];

/** An event that no quiz accepts. */
export function invent(session: KnownSession, now: number, random: Random): Made {
  const { refused, fields } = random.pick(inventions);
  return { event: whole(fields, eventId(random), session.next), at: now, refused };
}
