import type { SenderLimits } from "../platform/limiter/senders.ts";

/**
 * Rate limits of the storefront for one address and for one store [storefront.sender-limits,
 * storefront.sender-charges]. A unit is a request, a kilobyte of its body or an event: each costs about a tenth of a
 * millisecond of processor time, from the socket to the disk.
 *
 * A shopper sends a request of one or two events every three seconds, and reads one document: 1.5 units a second. Two
 * hundred at once behind one address, an office or a class, need 300 a second, and 2,000 at the moment when all of them
 * open the quiz. An address may use three times that, which takes a tenth of one processor from everybody else.
 *
 * A store has ten times an address's limit, so that no address can use it up alone: 6,000 shoppers at once, more than
 * one process serves. Requests refused because of the address are not charged to the store.
 */
export const storefrontLimits: SenderLimits = {
  address: { capacity: 10_000, leakPerSecond: 1_000 },
  network: { capacity: 30_000, leakPerSecond: 3_000 },
  store: { capacity: 100_000, leakPerSecond: 10_000 },
};

export const requestUnits = 1;
export const eventUnits = 1;
/** Bytes sent or generated per unit, charged to the address: documents are many times as large as requests for them. */
export const bytesSentAUnit = 8 * 1_024;
/** An unsuccessful look-up of a store costs a database query [storefront.unknown-store]. */
export const unknownStoreUnits = 10;
/** Rules of a block are looked at in some milliseconds. */
export const ruledBlockUnits = 10;
/** A preview is built for each request: a draft is checked as if it were to be saved as a version. */
export const previewUnits = 20;
/** Bytes of a preview per unit, charged to the address: one of a megabyte takes 60 ms to read, check and write. */
export const previewBytesAUnit = 2 * 1_024;
