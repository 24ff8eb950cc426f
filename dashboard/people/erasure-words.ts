/** Describes in words what an erasure removes [dashboard-people.erasure]. */

export interface ErasureExtent {
  sessions: number;
  contacts: number;
  answers: number;
  orders: number;
  deliveries: number;
  exports: number;
}

const count = (number: number, one: string, many: string): string => `${number} ${number === 1 ? one : many}`;

/** Lists only what exists; counts in figures stay, which the dialog says separately. */
export function destroyed(extent: ErasureExtent): string[] {
  const parts: [number, string, string][] = [
    [extent.contacts, "email address or phone number", "email addresses and phone numbers"],
    [extent.answers, "answer with words or contacts of their own", "answers with words or contacts of their own"],
    [extent.sessions, "visit loses its person", "visits lose their person"],
    [extent.orders, "order loses its contacts", "orders lose their contacts"],
    [extent.deliveries, "kept webhook message is rewritten", "kept webhook messages are rewritten"],
    [extent.exports, "export file is removed", "export files are removed"],
  ];
  return parts.filter(([number]) => number > 0).map(([number, one, many]) => count(number, one, many));
}
