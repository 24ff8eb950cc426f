import { Counter, type CounterConfiguration } from "prom-client";

/**
 * A counter of what happens several times a request: it adds to plain numbers, which the metric takes over when somebody
 * asks. To find a metric's value by its labels costs as much as what is counted here.
 */
export class Tally<Label extends string> {
  readonly #counted: { labels: Record<Label, string>; since: number }[] = [];

  constructor(definition: Pick<CounterConfiguration<Label>, "name" | "help" | "labelNames">) {
    const counted = this.#counted;
    const counter = new Counter<Label>({
      ...definition,
      collect() {
        for (const one of counted) {
          if (one.since > 0) this.inc(one.labels, one.since);
          one.since = 0;
        }
      },
    });
    const reset = counter.reset.bind(counter);
    counter.reset = () => {
      for (const one of counted) one.since = 0;
      reset();
    };
  }

  /** What adds to the value with these labels; they are named once, by whoever counts. */
  of(labels: Record<Label, string>): (count?: number) => void {
    const one = { labels, since: 0 };
    this.#counted.push(one);
    return (count = 1) => {
      one.since += count;
    };
  }
}
