import { AsyncLocalStorage } from "node:async_hooks";

/** Whose calendar code runs in: the shared one, or that of a store whose calendar was moved (store-calendars.ts). */

export interface OwnTime {
  storeId: string;
  /** ms ahead of the shared calendar */
  ahead: number;
}

const ownTime = new AsyncLocalStorage<OwnTime | undefined>();

export const timeAround = (): OwnTime | undefined => ownTime.getStore();

/** Throws in the time of another store [test-stores.own-time]. */
export function assertTimeOf(storeId: string): void {
  const own = ownTime.getStore();
  if (own !== undefined && own.storeId !== storeId)
    throw new Error("a statement of one store runs on another store's calendar");
}

export const inTime = <Result>(time: OwnTime, work: () => Result): Result => ownTime.run(time, work);

/** Runs work in shared time, whatever calendar the caller runs in. */
export const inSharedTime = <Result>(work: () => Result): Result =>
  ownTime.getStore() === undefined ? work() : ownTime.run(undefined, work);
