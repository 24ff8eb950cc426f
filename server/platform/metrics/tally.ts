import { Counter, type CounterConfiguration } from "prom-client";

/**
 * A counter for events that happen several times a request: it adds to plain numbers, which the metric reads at each
 * scrape. Finding a metric's value by its labels costs as much as the counted work itself.
 */
export class Tally<Label extends string> {
  readonly #counted: { labels: Record<Label, string>; since: number }[] = [];

  constructor(definition: Pick<CounterConfiguration<Label>, "name" | "help" | "labelNames">) {
    const counted = this.#counted;
    const counter = new Counter<Label>({
      ...definition,
      collect() {
        for (const entry of counted) {
          if (entry.since > 0) this.inc(entry.labels, entry.since);
          entry.since = 0;
        }
      },
    });
    const reset = counter.reset.bind(counter);
    counter.reset = () => {
      for (const entry of counted) entry.since = 0;
      reset();
    };
  }

  /** A function that adds to the value with these labels; callers look it up once. */
  of(labels: Record<Label, string>): (count?: number) => void {
    const entry = { labels, since: 0 };
    this.#counted.push(entry);
    return (count = 1) => {
      entry.since += count;
    };
  }
}
