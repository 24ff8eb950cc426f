import { Counter as PromCounter, Gauge as PromGauge, Histogram as PromHistogram, type Registry } from "prom-client";
import type { Log } from "../log.ts";
import type { Counter, Definition, Histogram, Meter, Reading } from "./types.ts";

/** Counts into a registry of prom-client, which writes it as Prometheus reads it. */
export class PrometheusMeter implements Meter {
  readonly #registry: Registry;
  readonly #log: Log;
  readonly #counters = new Map<string, Counter<string>>();
  readonly #histograms = new Map<string, Histogram<string>>();

  constructor(registry: Registry, log: Log) {
    this.#registry = registry;
    this.#log = log;
  }

  counter<Label extends string>(definition: Definition<Label>): Counter<Label> {
    const known = this.#counters.get(definition.name);
    if (known) return known;
    const counter = new PromCounter(this.#settings(definition));
    // so that a rate can be taken from the first time on that it happens
    if (definition.labels === undefined) counter.inc(0);
    const made: Counter<string> = { add: (labels, by = 1) => counter.inc(labels, by) };
    this.#counters.set(definition.name, made);
    return made;
  }

  histogram<Label extends string>(definition: Definition<Label> & { buckets: readonly number[] }): Histogram<Label> {
    const known = this.#histograms.get(definition.name);
    if (known) return known;
    const histogram = new PromHistogram({ ...this.#settings(definition), buckets: [...definition.buckets] });
    const made: Histogram<string> = { observe: (labels, value) => histogram.observe(labels, value) };
    this.#histograms.set(definition.name, made);
    return made;
  }

  gauge<Label extends string>(
    definition: Definition<Label>,
    read: () => readonly Reading<Label>[] | Promise<readonly Reading<Label>[]>,
  ): void {
    const log = this.#log;
    new PromGauge({
      ...this.#settings(definition),
      async collect() {
        // an old value would be taken for the present
        this.reset();
        // a gauge without labels is reset to 0, which nobody has read
        if (definition.labels === undefined) this.remove();
        try {
          for (const { labels, value } of await read()) this.set(labels, value);
        } catch (error) {
          log.warn({ err: error, metric: definition.name }, "a metric could not be read");
        }
      },
    });
  }

  total<Label extends string>(definition: Definition<Label>, read: () => readonly Reading<Label>[]): void {
    new PromCounter({
      ...this.#settings(definition),
      collect() {
        this.reset();
        for (const { labels, value } of read()) this.inc(labels, value);
      },
    });
  }

  #settings<Label extends string>({ name, help, labels = [] }: Definition<Label>) {
    // the names that callers may use are checked by the type of what they get
    return { name, help, labelNames: [...labels] as string[], registers: [this.#registry] };
  }
}
