/** A bucket's rule. Both numbers must be above 0; fractions are kept to a millionth. */
export interface BucketRule {
  /** Units that fit at once (the burst). */
  readonly capacity: number;
  /** Units that leak out each second (the sustained rate). */
  readonly leakPerSecond: number;
}

/**
 * A bucket at one moment. `level` is in units and exceeds `capacity` after booking on a full bucket or lowering an
 * override.
 */
export interface BucketState extends BucketRule {
  readonly level: number;
}

/** The price of one API call, and the buckets that pay it [api.costs]. */
export interface Charge {
  readonly storeId: string;
  readonly keyId: string;
  readonly key: BucketRule;
  readonly store: BucketRule;
  /** Units. A cost above a bucket's capacity is never admitted. */
  readonly cost: number;
}

/** A charge on a single bucket, identified by an opaque name [storefront.sender-limits]. */
export interface BucketCharge {
  readonly name: string;
  readonly rule: BucketRule;
  /** Units. Below 0: as many are given back, which is always admitted and empties the bucket at most. */
  readonly cost: number;
}

/** Admitted: the key's bucket after the charge. Refused: the bucket that refused, without this charge. */
export type Admission =
  | { readonly admitted: true; readonly key: BucketState }
  | {
      readonly admitted: false;
      readonly rejectedBy: "key" | "store";
      readonly bucket: BucketState;
      readonly retryAfterSeconds: number;
    };

/** `retryAfterSeconds` is 0 when admitted, else whole seconds, at least 1. */
export interface BucketOutcome {
  readonly admitted: boolean;
  readonly retryAfterSeconds: number;
}

/**
 * Leaky buckets [api.rate-limits]. Between two charges a bucket leaks at the last rate it was given. Every method
 * rejects with `LimiterUnavailable` if the buckets cannot be reached.
 */
export interface Limiter {
  /**
   * Charges the key's bucket, then the store's. A refusal by the key's bucket never touches the store's; after a
   * refusal by the store's, the key's charge stays spent.
   */
  admit(charge: Charge): Promise<Admission>;
  /** Charges both buckets whatever their level (the analytics surcharge); returns the key's bucket after it. */
  book(charge: Charge): Promise<BucketState>;
  chargeBucket(charge: BucketCharge): Promise<BucketOutcome>;
  close(): Promise<void>;
}

/** The buckets cannot be reached: 503 `limiter_unavailable`, or a read admitted without headers [api.limiter-away]. */
export class LimiterUnavailable extends Error {
  override readonly name = "LimiterUnavailable";
  /** Promised to integrators [api.limiter-away]. */
  readonly retryAfterSeconds = 2;

  constructor(cause: unknown) {
    super("The rate limiter cannot be reached", { cause });
  }
}
