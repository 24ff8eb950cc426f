import type { KeptEvent } from "./state.ts";

/** Where an event stands in its session. */
export type Place = Pick<KeptEvent, "seq" | "id">;

/** `seq` decides; two events that claim the same one are told apart by their ids, so that every order is total. */
export function comparePlaces(a: Place, b: Place): number {
  return a.seq - b.seq || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

/** A session's events by `seq`, never by time [sessions.order]. */
export function inOrder(events: readonly KeptEvent[]): KeptEvent[] {
  return events.toSorted(comparePlaces);
}
