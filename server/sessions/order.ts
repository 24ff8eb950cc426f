import type { StoredEvent } from "./state.ts";

type Place = Pick<StoredEvent, "seq" | "id">;

/** `seq` decides; two events that claim the same one are told apart by their ids, so that every order is total. */
function comparePlaces(a: Place, b: Place): number {
  return a.seq - b.seq || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

/** A session's events by `seq`, never by time (storefront 2). */
export function inOrder(events: readonly StoredEvent[]): StoredEvent[] {
  return events.toSorted(comparePlaces);
}

/** The events up to and including one of them: the session as it was at that moment, whatever has arrived since (F). */
export function eventsUpTo(events: readonly StoredEvent[], place: Place): StoredEvent[] {
  return events.filter((event) => comparePlaces(event, place) <= 0);
}
