/**
 * Where the time of one piece of work went, for whoever follows it through several machines. Nobody knows the tracing
 * system but open-telemetry.ts, which is loaded only where the settings ask for it; elsewhere there is no tracer at all.
 *
 * Attributes say what kind of thing it was, and ids: no parameters of statements, no addresses with what they carry, no
 * texts of people.
 */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanDefinition {
  /** of few values: `GET /v1/quizzes/:quiz_id`, never an id */
  name: string;
  /** `server`: answers somebody; `client`: asks somebody; else work of the program's own */
  kind?: "server" | "client";
  attributes?: Attributes;
}

export interface Span {
  set(attributes: Attributes): void;
  /** `type`: a status code, a code or the name of an error */
  fail(type: string): void;
  end(): void;
}

/** From whom a request came, by the headers of W3C Trace Context; what is malformed counts as absent. */
export interface Caller {
  traceparent: string | undefined;
  tracestate: string | undefined;
}

export interface Tracer {
  /** Opens a span that continues the caller's trace, or begins one. */
  begin(definition: SpanDefinition, caller?: Caller): Span;
  /** Runs work in which `part` finds the span. */
  within<Result>(span: Span, work: () => Result): Result;
  /** A part of the span around it; where there is none, nothing is recorded. A rejection fails the span. */
  part<Result>(definition: SpanDefinition, work: (span: Span) => Promise<Result>): Promise<Result>;
  /** Work that nobody waits for: a trace of its own. */
  whole<Result>(definition: SpanDefinition, work: (span: Span) => Promise<Result>): Promise<Result>;
}

const noSpan: Span = { set: () => undefined, fail: () => undefined, end: () => undefined };

/** Records nothing. */
export const noTracer: Tracer = {
  begin: () => noSpan,
  within: (_span, work) => work(),
  part: (_definition, work) => work(noSpan),
  whole: (_definition, work) => work(noSpan),
};
