import { Gauge, type GaugeConfiguration, register } from "prom-client";

/**
 * What the program counts of itself for whoever watches it [operations.metrics]. Counters and histograms are
 * prom-client's and stand beside the code that counts. Labels take few values, known beforehand: never an id, an
 * address or a text of somebody's.
 */

/** Seconds: from what a cache answers to what a request may take at most. */
export const requestSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Seconds of work in the background. */
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

/** Sets who is told of gauges that could not be read; until then one of them fails the whole answer. */
export function onUnreadGauge(hear: Unread): void {
  unread = hear;
}

/**
 * A value that is looked up whenever somebody asks, and left out where there is none or it cannot be read: the others
 * are asked for most where something is wrong. A second one of the same name replaces the first, whose owner was closed.
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
      // an old value would be taken for the present
      this.reset();
      // a gauge without labels is reset to 0, which nobody has read
      if (definition.labelNames === undefined) this.remove();
      for (const { labels, value } of readings) this.set(labels, value);
    },
  });
}

/** A gauge without labels. */
export function readNumber(name: string, help: string, read: () => number): void {
  readGauge({ name, help }, () => [{ labels: {}, value: read() }]);
}
