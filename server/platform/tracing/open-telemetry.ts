import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { type Context, type ContextManager, context, propagation, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Log } from "../log.ts";
import type { SamplerName } from "./samplers.ts";
import type { TraceSettings } from "./settings.ts";

/** Sends spans to an OTLP receiver, as JSON over HTTP. Load this file only if traces are enabled. */

/** Ms of real time for which to wait for the receiver; after that the sent spans are lost. */
const sendMs = 3_000;
/** Ms for which a stopping program waits for the last spans to be sent. */
const flushMs = 5_000;

/** Starts recording spans; returns a function that sends the rest and stops. */
export function openTracing(settings: TraceSettings, log: Log): () => Promise<void> {
  const { url, headers } = settings;
  const exporter = new ReportingExporter(
    new OTLPTraceExporter({ url, headers: { ...headers }, timeoutMillis: sendMs }),
    log,
  );
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": settings.serviceName }),
    sampler: samplerOf(settings.sampler, settings.ratio),
    spanProcessors: [new BatchSpanProcessor({ exporter, exportTimeoutMillis: sendMs })],
  });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncContexts());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  return async () => {
    for (const api of [trace, context, propagation]) api.disable();
    const late = new AbortController();
    const shutDown = provider.shutdown().catch(() => undefined);
    await Promise.race([shutDown, pause(flushMs, undefined, { signal: late.signal }).catch(() => undefined)]);
    late.abort();
  };
}

/** Propagates the current context into everything that is started within it. */
class AsyncContexts implements ContextManager {
  readonly #present = new AsyncLocalStorage<Context>();

  active(): Context {
    return this.#present.getStore() ?? ROOT_CONTEXT;
  }

  with: ContextManager["with"] = (present, work, self, ...args) =>
    this.#present.run(present, () => work.call(self as ThisParameterType<typeof work>, ...args));

  bind<Target>(present: Context, target: Target): Target {
    if (typeof target !== "function") return target;
    return ((...args: unknown[]) => this.#present.run(present, () => target(...args))) as Target;
  }

  enable(): this {
    return this;
  }

  disable(): this {
    this.#present.disable();
    return this;
  }
}

function samplerOf(name: SamplerName, ratio: number): Sampler {
  switch (name) {
    case "always_on":
      return new AlwaysOnSampler();
    case "always_off":
      return new AlwaysOffSampler();
    case "traceidratio":
      return new TraceIdRatioBasedSampler(ratio);
    case "parentbased_always_on":
      return new ParentBasedSampler({ root: new AlwaysOnSampler() });
    case "parentbased_always_off":
      return new ParentBasedSampler({ root: new AlwaysOffSampler() });
    case "parentbased_traceidratio":
      return new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) });
  }
}

/** Reports once that the receiver is unreachable, and once that it is back, instead of for each lost batch. */
class ReportingExporter implements SpanExporter {
  readonly #inner: SpanExporter;
  readonly #log: Log;
  #failing = false;

  constructor(inner: SpanExporter, log: Log) {
    this.#inner = inner;
    this.#log = log;
  }

  export: SpanExporter["export"] = (spans, done) => {
    this.#inner.export(spans, (result) => {
      const failing = result.error !== undefined;
      if (failing && !this.#failing) this.#log.warn({ err: result.error }, "traces could not be sent and are lost");
      if (!failing && this.#failing) this.#log.info("traces can be sent again");
      this.#failing = failing;
      done(result);
    });
  };

  forceFlush(): Promise<void> {
    return this.#inner.forceFlush?.() ?? Promise.resolve();
  }

  shutdown(): Promise<void> {
    return this.#inner.shutdown();
  }
}
