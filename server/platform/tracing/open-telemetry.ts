import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Context,
  createTraceState,
  isSpanContextValid,
  type Span as OtelSpan,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
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
import type { Attributes, Caller, Span, SpanDefinition, Tracer } from "./types.ts";

/** The tracer that sends to an OTLP receiver, as JSON over HTTP. Load this file only where traces are wanted. */

/** A receiver that does not answer in this time, real ms, loses what was sent to it. */
const sendMs = 3_000;
/** The last spans are sent when the program ends, which waits no longer for that. */
const flushMs = 5_000;

export interface OpenTracer extends Tracer {
  /** Sends what is left. */
  close(): Promise<void>;
}

export function openTracer(settings: TraceSettings, log: Log): OpenTracer {
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
  return new OpenTelemetryTracer(provider.getTracer("quizstore"), () => provider.shutdown());
}

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT };

class OpenTelemetryTracer implements OpenTracer {
  readonly #tracer: OtelTracer;
  readonly #shutDown: () => Promise<void>;
  readonly #present = new AsyncLocalStorage<Context>();

  constructor(tracer: OtelTracer, shutDown: () => Promise<void>) {
    this.#tracer = tracer;
    this.#shutDown = shutDown;
  }

  begin(definition: SpanDefinition, caller?: Caller): OpenSpan {
    return this.#open(definition, caller ? contextOf(caller) : ROOT_CONTEXT);
  }

  within<Result>(span: Span, work: () => Result): Result {
    return span instanceof OpenSpan ? this.#present.run(span.context, work) : work();
  }

  part<Result>(definition: SpanDefinition, work: (span: Span) => Promise<Result>): Promise<Result> {
    const around = this.#present.getStore();
    return around === undefined ? work(unrecorded) : this.#run(this.#open(definition, around), work);
  }

  whole<Result>(definition: SpanDefinition, work: (span: Span) => Promise<Result>): Promise<Result> {
    return this.#run(this.#open(definition, ROOT_CONTEXT), work);
  }

  async close(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, flushMs);
    });
    await Promise.race([this.#shutDown().catch(() => undefined), late]);
    clearTimeout(timer);
  }

  #open({ name, kind, attributes = {} }: SpanDefinition, parent: Context): OpenSpan {
    const options = { kind: kind === undefined ? SpanKind.INTERNAL : kinds[kind], attributes };
    return new OpenSpan(this.#tracer.startSpan(name, options, parent));
  }

  async #run<Result>(span: OpenSpan, work: (span: Span) => Promise<Result>): Promise<Result> {
    try {
      return await this.#present.run(span.context, () => work(span));
    } catch (error) {
      span.fail(typeOf(error));
      throw error;
    } finally {
      span.end();
    }
  }
}

class OpenSpan implements Span {
  readonly context: Context;
  readonly #span: OtelSpan;

  constructor(span: OtelSpan) {
    this.#span = span;
    this.context = trace.setSpan(ROOT_CONTEXT, span);
  }

  set(attributes: Attributes): void {
    this.#span.setAttributes(attributes);
  }

  fail(type: string): void {
    this.#span.setAttribute("error.type", type).setStatus({ code: SpanStatusCode.ERROR });
  }

  end(): void {
    this.#span.end();
  }
}

const unrecorded: Span = { set: () => undefined, fail: () => undefined, end: () => undefined };

/** A message may quote what somebody wrote; its kind is enough to find it in the log. */
function typeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const { title, code } = error as { title?: unknown; code?: unknown };
  if (typeof title === "string") return title;
  return typeof code === "string" ? code : error.name;
}

const traceparent = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

function contextOf({ traceparent: parent = "", tracestate }: Caller): Context {
  const [, traceId = "", spanId = "", flags = "0", more] = traceparent.exec(parent.trim()) ?? [];
  const found = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  // version 00 has four parts; a later one may have more
  if (!isSpanContextValid(found) || (more !== undefined && parent.startsWith("00"))) return ROOT_CONTEXT;
  const state = tracestate === undefined ? {} : { traceState: createTraceState(tracestate) };
  return trace.setSpanContext(ROOT_CONTEXT, { ...found, ...state });
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

/** Says when nobody receives what is sent, and when that is over: each batch that is lost would say the same. */
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
      if (!failing && this.#failing) this.#log.info("traces are sent again");
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
