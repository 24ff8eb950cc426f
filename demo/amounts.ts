/** Formats money and times like the commerce platform. */

export const amountText = (cents: number): string =>
  `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}`;

export const centsOf = (amount: string): number => Math.round(Number(amount) * 100);

/** in UTC, without fractions of a second */
export const platformTime = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`;

const freeFrom = 5_000;
const shippingCents = 595;

/** The demo shop's shipping price for goods of that price. */
export const shippingOf = (goodsCents: number): number => (goodsCents >= freeFrom ? 0 : shippingCents);
