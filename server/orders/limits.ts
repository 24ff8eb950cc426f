import type { SenderLimits } from "../platform/limiter/senders.ts";

/**
 * How much may be sent in a shop's name [orders.limits]. A unit is a kilobyte of a message; each message costs ten
 * more, for the look at the shop and, once it is signed, its transaction.
 *
 * An address is charged before anything is read, as the message announces its length: the platform sends for many shops
 * from a few addresses, so that one may bring 10 MB a second, 500 usual orders, and ten of the largest messages at
 * once. Whoever sends 10 MB a second of nonsense has it read and hashed for 5 % of a processor.
 *
 * A shop is charged once the signature is found to be its own, so that nobody else uses up its limit: a hundred orders
 * a second, and a thousand at once. What is refused comes again: the platform repeats messages for two days.
 */
export const commerceLimits: SenderLimits = {
  address: { capacity: 50_000, leakPerSecond: 10_000 },
  network: { capacity: 100_000, leakPerSecond: 20_000 },
  store: { capacity: 20_000, leakPerSecond: 2_000 },
};

export const messageUnits = 10;
