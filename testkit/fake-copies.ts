import { CopyLoading, type CopyQuery, type CopyReader } from "../server/columnar-copy/public.ts";
import type { Calendar } from "../server/platform/clock.ts";
import { assertTimeLeft, type Deadline, noDeadline } from "../server/platform/deadline.ts";
import { Problem } from "../server/platform/problems.ts";

/** Replaces the columnar copies in tests of when and how often they are queried. It holds no rows. */
export class FakeCopies implements CopyReader {
  readonly #calendar: Calendar;
  reads = 0;
  /** of the latest read */
  deadline: Deadline | null = null;
  /** the store is being loaded for the first time */
  loading = false;
  failure: Error | null = null;
  #gate: PromiseWithResolvers<void> | null = null;

  constructor(calendar: Calendar) {
    this.#calendar = calendar;
  }

  /** Reads that begin now last until they are released. */
  hold(): void {
    this.#gate ??= Promise.withResolvers();
  }

  letGo(): void {
    this.#gate?.resolve();
    this.#gate = null;
  }

  async read<Result>(_storeId: string, work: (query: CopyQuery) => Promise<Result>, deadline: Deadline = noDeadline) {
    this.reads += 1;
    this.deadline = deadline;
    assertTimeLeft(deadline);
    if (this.loading) throw new CopyLoading();
    if (this.failure) throw this.failure;
    const asOf = this.#calendar.now();
    const timeUp = Promise.withResolvers<void>();
    deadline.onExpiry(() => timeUp.reject(new Problem("timeout")));
    if (this.#gate) await Promise.race([this.#gate.promise, timeUp.promise]);
    return { result: await work(async () => []), revision: this.reads, asOf };
  }

  async ask(): Promise<never> {
    throw new Error("analytics read several statements at once");
  }
}
