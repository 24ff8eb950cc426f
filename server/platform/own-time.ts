import { AsyncLocalStorage } from "node:async_hooks";

/** In whose time something is done: everybody's, or that of a store whose calendar was moved (store-calendars.ts). */

export interface OwnTime {
  storeId: string;
  /** ms before everybody's */
  ahead: number;
}

const ownTime = new AsyncLocalStorage<OwnTime | undefined>();

export const timeAround = (): OwnTime | undefined => ownTime.getStore();

/** Fails in the time of another store [test-stores.own-time]. */
export function assertTimeOf(storeId: string): void {
  const own = ownTime.getStore();
  if (own !== undefined && own.storeId !== storeId) throw new Error("a store is asked for in the time of another one");
}

export const inTime = <Result>(time: OwnTime, work: () => Result): Result => ownTime.run(time, work);

/** What is begun in here is done in everybody's time, whoever's it is begun in. */
export const inSharedTime = <Result>(work: () => Result): Result =>
  ownTime.getStore() === undefined ? work() : ownTime.run(undefined, work);
