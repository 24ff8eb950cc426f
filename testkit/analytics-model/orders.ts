import { compileQuiz } from "../../engine/compile-quiz.ts";
import type { Quiz } from "../../engine/quiz.ts";
import type { TimedEvent } from "../histories.ts";
import { type ModelPerson, newModelSession, PeopleModel, type TypedContact } from "../people-model.ts";
import { countedEvents } from "../session-model.ts";
import { contactOf } from "./contacts.ts";
import { type History, type HistoryLine, type HistoryOrder, type HistorySession, productId } from "./history.ts";
import { type Exact, exact, total } from "./numbers.ts";
import { documentOf, type WebhookSession } from "./sessions.ts";

export const buckets = ["added_from_quiz", "shown_bought_later", "bought_not_shown"] as const;
export type Bucket = (typeof buckets)[number];
export type Tier = "line_item" | "cart" | "visitor" | "email" | "phone";

/** An order that is not cancelled, with the session it is linked to. */
export interface ToldOrder {
  id: number;
  createdAt: number;
  session: WebhookSession | null;
  tier: Tier | null;
  insideWindow: boolean;
  inCurrency: boolean;
  total: Exact;
  refunded: Exact;
  lines: ToldLine[];
}

export interface ToldLine {
  /** the product's global id */
  product: string | null;
  title: string;
  units: number;
  amount: Exact;
  refunded: Exact;
  bucket: Bucket;
}

const day = 86_400_000;

/**
 * @param personOf maps to people; given if the order in which events arrived is known more precisely than from the
 * history
 */
export function tellOrders(
  history: History,
  sessions: readonly WebhookSession[],
  personOf: People = tellPeople(history, sessions),
): ToldOrder[] {
  return history.orders
    .filter((order) => !order.cancelled)
    .map((order) => {
      const { session, tier } = attributed(order, sessions, personOf);
      const after = session?.started == null ? null : order.createdAt - session.started;
      return {
        id: order.id,
        createdAt: order.createdAt,
        session,
        tier,
        insideWindow: after !== null && after <= history.windowDays * day,
        inCurrency: order.currency === history.currency,
        total: exact(order.total),
        refunded: total(order.refunds.map(({ amount }) => exact(amount))),
        lines: order.lines.map((line, place) => ({
          ...tellLine(line, session),
          refunded: place > 0 ? 0n : total(order.refunds.map(({ ofLine }) => exact(ofLine))),
        })),
      };
    });
}

export interface People {
  holder(contact: string): ModelPerson | undefined;
  of(session: WebhookSession): ModelPerson | null;
}

function attributed(order: HistoryOrder, sessions: readonly WebhookSession[], people: People) {
  const lines = order.lines.flatMap((line) => line.session ?? []);
  const held = (contact: string | null, session: WebhookSession) => {
    const holder = contact === null ? undefined : people.holder(contact);
    return holder !== undefined && people.of(session) === holder;
  };
  const email = contactOf("email", order.email, null);
  const tiers: [Tier, (session: WebhookSession) => boolean][] = [
    ["line_item", ({ given }) => lines.includes(given.id)],
    ["cart", ({ given }) => given.id === order.cartSession],
    ["visitor", ({ given }) => given.visitor === order.cartVisitor],
    ["email", (session) => held(email && `email:${email}`, session)],
    ["phone", (session) => held(order.phone && `phone:${order.phone}`, session)],
  ];
  for (const [tier, matches] of tiers) {
    const candidates = sessions.filter((session) => matches(session) && startedBefore(session, order));
    const newest = candidates.toSorted(
      (a, b) => (b.started ?? 0) - (a.started ?? 0) || (a.given.id < b.given.id ? 1 : -1),
    )[0];
    if (newest) return { session: newest, tier };
  }
  return { session: null, tier: null };
}

/**
 * Before the order, by at most 90 days; order times are whole seconds, so a start in the same second counts as before.
 */
function startedBefore({ started }: WebhookSession, { createdAt }: HistoryOrder): boolean {
  if (started === null || createdAt - started > 90 * day) return false;
  return Math.floor(started / 1000) <= Math.floor(createdAt / 1000);
}

function tellLine(line: HistoryLine, session: WebhookSession | null): Omit<ToldLine, "refunded"> {
  const product = line.product === null ? null : productId(line.product);
  const isAdded = line.session !== null || (product !== null && session?.added.has(product));
  const isShown = session?.shown.some((shown) => shown.product === product);
  return {
    product,
    title: line.title,
    units: line.units,
    amount: exact(line.price) * BigInt(line.units) - exact(line.discount),
    bucket: isAdded ? "added_from_quiz" : isShown ? "shown_bought_later" : "bought_not_shown",
  };
}

/** Assigns people with the people model: sessions and orders in the order in which they arrived (`feedHistory`). */
function tellPeople(history: History, told: readonly WebhookSession[]): People {
  const model = new PeopleModel(
    told.map(({ given, opened, lastEventAt }) => newModelSession(given.visitor, opened, lastEventAt)),
  );
  const take = ({ email, phone, cartVisitor }: HistoryOrder) => {
    const address = contactOf("email", email, null);
    model.order({ email: address && `email:${address}`, phone: phone && `phone:${phone}`, visitor: cartVisitor });
  };
  for (const order of history.orders.filter(({ id, totalBefore }) => id % 2 === 1 || totalBefore !== null)) take(order);
  for (const delivery of [1, 2]) {
    if (delivery === 2) for (const order of history.orders) take(order);
    for (const [index, { given }] of told.entries()) {
      const session = model.sessions[index];
      const part = delivery === 1 ? given.events.slice(0, given.firstDelivery) : given.events;
      if (!session || (delivery === 2 && given.firstDelivery >= given.events.length)) continue;
      const typed = typedContacts(history, given, part);
      // one after the other, whatever requests they came in
      while (session.typed.length < typed.length) {
        session.typed = typed.slice(0, session.typed.length + 1);
        model.resolve([index]);
      }
    }
  }
  const byId = new Map(told.map((session, index) => [session.given.id, model.sessions[index]?.person ?? null]));
  return {
    holder: (contact) => model.people.find((person) => person.contacts.has(contact)),
    of: (session) => byId.get(session.given.id) ?? null,
  };
}

const typedContacts = (history: History, given: HistorySession, events: HistorySession["events"]): TypedContact[] =>
  typedContactsOf(compileQuiz(documentOf(history, given)), countedEvents(events), given.country);

/** The contacts typed in a session, including cleared fields. `events`: by `seq`. */
export function typedContactsOf(
  { questions }: Quiz,
  events: readonly TimedEvent[],
  country: string | null,
): TypedContact[] {
  return events.flatMap((event, place) => {
    if (event.type !== "answer_saved") return [];
    const component = questions.get(event.component_key)?.component;
    if (component?.kind !== "email" && component?.kind !== "phone") return [];
    const value = contactOf(component.kind, event.value, country);
    return [
      {
        field: component.component_key,
        contact: value && `${component.kind}:${value}`,
        consent: event.consent === true,
        at: event.time,
        seq: place,
      },
    ];
  });
}
