import type { Operation } from "../../../contract/operation.ts";
import type { Caller } from "../caller.ts";
import type { StoreTransaction } from "../database/sql.ts";
import { Problem } from "../problems.ts";

/**
 * The caller as they are now, locked until the transaction ends: who changes their rights meanwhile waits for it, or was
 * first. The same object if nothing changed. Throws the refusal of somebody who has no access to the store any more.
 */
export type RightsNow = (tx: StoreTransaction, caller: Caller) => Promise<Caller>;

/** Throws if the caller's rights are no longer those with which the request was admitted. */
export type AssertUnchanged = (tx: StoreTransaction) => Promise<void>;

/** Rolls a transaction back whose caller has another role by now. */
class RightsChanged extends Error {
  readonly caller: Caller;

  constructor(caller: Caller) {
    super("the caller's rights changed during the request");
    this.caller = caller;
  }
}

export const unchanged =
  (caller: Caller, rightsNow: RightsNow): AssertUnchanged =>
  async (tx) => {
    const now = await rightsNow(tx, caller);
    if (now !== caller) throw new RightsChanged(now);
  };

/**
 * Looks at the caller's rights again behind the work, so that it is done with them or not at all
 * [dashboard-api.rights-kept]. At the end: whoever changes rights takes the same locks last, so neither waits for the
 * other in a circle.
 */
export async function checkedAgain<Result>(
  assertUnchanged: () => Promise<void>,
  work: () => Promise<Result>,
): Promise<Result> {
  let result: Result;
  try {
    result = await work();
  } catch (error) {
    // a refusal tells nothing to somebody who has no access any more; after a failed statement there is no asking
    if (error instanceof Problem && error.cause === undefined) await assertUnchanged();
    throw error;
  }
  await assertUnchanged();
  return result;
}

/**
 * Does the work, and once more from the beginning for a caller whose role has changed meanwhile.
 *
 * @param admit throws if the caller, as they are now, may not do this
 */
export async function asTheyAre<Result>(
  caller: Caller,
  admit: (caller: Caller) => void,
  work: (caller: Caller) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(caller);
  } catch (error) {
    if (!(error instanceof RightsChanged)) throw error;
    admit(error.caller);
    return asTheyAre(error.caller, admit, work);
  }
}

/** What a token's request shows may reach others, such as a model: it gets no secret [dashboard-api.tokens]. */
export function shownTo({ by }: Caller, { secretField }: Pick<Operation, "secretField">, body: unknown): unknown {
  if (secretField === undefined || by.kind === "key" || !by.token) return body;
  const { [secretField]: _, ...others } = body as Record<string, unknown>;
  return others;
}
