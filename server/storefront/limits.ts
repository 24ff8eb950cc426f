import type { SenderLimits } from "../platform/limiter/senders.ts";

/**
 * How much one address, and one store, may ask of the storefront [storefront.sender-limits, storefront.sender-charges].
 * A unit is a request, a kilobyte of its body or an event: each costs about a tenth of a millisecond of a processor,
 * from the socket to the disk.
 *
 * A shopper sends a request of one or two events every three seconds, and reads one document: 1.5 units a second. Two
 * hundred at once behind one address, an office or a class, need 300 a second, and 2,000 in the moment when all of them
 * open the quiz. An address may have three times that, which takes a tenth of one processor from everybody else.
 *
 * A store has ten times an address's limit, so that nobody can use it up alone: 6,000 shoppers at once, more than one
 * process serves. What an address is refused is not taken from the store's.
 */
export const storefrontLimits: SenderLimits = {
  address: { capacity: 10_000, leakPerSecond: 1_000 },
  network: { capacity: 30_000, leakPerSecond: 3_000 },
  store: { capacity: 100_000, leakPerSecond: 10_000 },
};

export const requestUnits = 1;
export const eventUnits = 1;
/** Of an answer's bytes that are sent or made, on the address: documents are many times as large as what asks for them. */
export const bytesSentAUnit = 8 * 1_024;
/** Looking in vain for a store costs a question to the database [storefront.unknown-store]. */
export const unknownStoreUnits = 10;
/** A preview is made anew for each request: a draft is checked as if it were to be saved as a version. */
export const previewUnits = 20;
/** Of a preview's bytes, on the address: one of a megabyte takes 60 ms to be read, checked and written. */
export const previewBytesAUnit = 2 * 1_024;
