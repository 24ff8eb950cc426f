/**
 * Which connections are to have their statements planned anew [database.plan-age].
 *
 * PostgreSQL plans a prepared statement once, and again only when the statistics of its tables change, which by default
 * takes up to a minute. A plan made while a table was small may read all of it, or do so once for each row of another
 * table: after a shop's first few thousand sessions, an update of one session read all of them (125 ms instead of 1).
 * A new plan takes the table's current size into account.
 */

/** Real ms after a connection is opened; every next time after twice the time, because tables take longer to double. */
const firstMs = 1_000;
const longestMs = 60_000;

interface Age {
  timer: NodeJS.Timeout;
  /** ms */
  interval: number;
  due: boolean;
}

export class PlanAges<Client extends object> {
  readonly #ages = new Map<Client, Age>();

  opened(client: Client): void {
    this.#wait(client, firstMs);
  }

  closed(client: Client): void {
    clearTimeout(this.#ages.get(client)?.timer);
    this.#ages.delete(client);
  }

  /** Whether the connection's plans are to be discarded now; it then answers no until the next time. */
  takeDue(client: Client): boolean {
    const age = this.#ages.get(client);
    if (!age?.due) return false;
    this.#wait(client, Math.min(2 * age.interval, longestMs));
    return true;
  }

  #wait(client: Client, interval: number): void {
    const age: Age = { interval, due: false, timer: setTimeout(() => (age.due = true), interval).unref() };
    this.#ages.set(client, age);
  }
}
