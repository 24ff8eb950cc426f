import { creamId, creamVariant, oilId } from "./documents.ts";
import { type Live, newId, Visit } from "./visit.ts";

/** Shoppers who leave an email in a short quiz and are shown products, for journeys about orders. */

const minute = 60_000;

export interface Shopper {
  mail: string;
  /** Ids of session and visitor. */
  sess: string;
  vis: string;
  /** Epoch ms of the first answer, and of the finish. */
  startedAt: number;
  finishedAt: number;
  visit: Visit;
}

export interface Takes {
  /** Epoch ms of the opening; twenty minutes ago by default. */
  from?: number;
  tel?: string;
  visitor?: string;
  /** False: leaves on the contact page. */
  finishes?: boolean;
  /** False: no contact is left yet. */
  contact?: boolean;
}

/** A short quiz taken to its result; returns the events, which the caller sends or imports. */
export function planVisit(
  live: Live,
  mail: string,
  { from = Date.now() - 20 * minute, visitor = newId("vis"), ...takes }: Takes = {},
) {
  const visit = new Visit(live, { from, session: { visitor_id: visitor } });
  const events = [visit.opened(), visit.entered("first", "start"), visit.chose("first", "pick", "one")];
  const startedAt = visit.now - visit.step;
  events.push(visit.entered("contact"));
  if (takes.contact ?? true) events.push(visit.wrote("contact", "mail", mail, true));
  if (takes.tel !== undefined) events.push(visit.wrote("contact", "tel", takes.tel));
  const finishedAt = visit.now + 2 * visit.step;
  if (takes.finishes ?? true) {
    const shown = [
      { product_id: creamId, variant_id: creamVariant, position: 1, source: "fixed" },
      { product_id: oilId, variant_id: null, position: 2, source: "fixed" },
    ];
    events.push(visit.entered("result"), visit.shown("result", "block", shown), visit.finished("result"));
  }
  const shopper: Shopper = { mail, sess: visit.session.id, vis: visitor, startedAt, finishedAt, visit };
  return { shopper, events };
}
