import { Gauge, type GaugeConfiguration, register } from "prom-client";

/**
 * The program's metrics, for monitoring [operations.metrics]. Counters and histograms are prom-client's and are defined
 * next to the code that counts. Labels have few values, known in advance: never an id, an address or somebody's text.
 */

/** Seconds: from an answer out of a cache to the longest time of a request. */
export const requestSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Seconds of background work. */
export const workSeconds = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 15, 60, 300, 1_800];

export interface Reading<Label extends string> {
  labels: Readonly<Record<Label, string>>;
  value: number;
}

type Readings<Label extends string> = readonly Reading<Label>[];

type Unread = (name: string, error: unknown) => void;

let unread: Unread = (_name, error) => {
  throw error;
};

/** Sets the listener for gauges that could not be read; without one, a failing gauge fails the whole response. */
export function onUnreadGauge(hear: Unread): void {
  unread = hear;
}

/**
 * A value that is read at each scrape, and left out if there is none or it cannot be read: metrics matter most when
 * something is wrong. A second gauge with the same name replaces the first, whose owner was closed.
 */
export function readGauge<Label extends string = never>(
  definition: Pick<GaugeConfiguration<Label>, "name" | "help" | "labelNames">,
  read: () => Readings<Label> | Promise<Readings<Label>>,
): void {
  register.removeSingleMetric(definition.name);
  new Gauge<Label>({
    ...definition,
    async collect() {
      let readings: Readings<Label> = [];
      try {
        readings = await read();
      } catch (error) {
        unread(definition.name, error);
      }
      // an old value would be taken for the current one
      this.reset();
      // reset sets a gauge without labels to 0, which nobody has measured
      if (definition.labelNames === undefined) this.remove();
      for (const { labels, value } of readings) this.set(labels, value);
    },
  });
}

/** A gauge without labels. */
export function readNumber(name: string, help: string, read: () => number): void {
  readGauge({ name, help }, () => [{ labels: {}, value: read() }]);
}
