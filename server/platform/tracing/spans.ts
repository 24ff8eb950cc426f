import {
  type Context,
  context,
  INVALID_SPAN_CONTEXT,
  ROOT_CONTEXT,
  type Span,
  type SpanOptions,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";

/**
 * Where a piece of work spent its time, traceable across machines [operations.traces]. OpenTelemetry's API records
 * nothing until open-telemetry.ts is loaded, which happens only if the settings ask for it.
 *
 * Attributes hold kinds and ids: no statement parameters, no query strings, no texts of people.
 */
export interface SpanDefinition extends SpanOptions {
  /** with few values: `GET /v1/quizzes/:quiz_id`, never an id */
  name: string;
}

export const beginSpan = (definition: SpanDefinition, parent: Context = ROOT_CONTEXT): Span =>
  trace.getTracer("quizstore").startSpan(definition.name, definition, parent);

const unrecorded = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);

/** Whether there is an active span that work can be part of. */
export const isTraced = (): boolean => trace.getActiveSpan() !== undefined;

/** Runs work as a child of the active span; without one, nothing is recorded. A rejection marks the span as failed. */
export const tracePart = <Result>(
  definition: SpanDefinition,
  work: (span: Span) => Promise<Result>,
): Promise<Result> => (isTraced() ? run(definition, context.active(), work) : work(unrecorded));

/** Runs background work as a trace of its own. */
export const traceWhole = <Result>(
  definition: SpanDefinition,
  work: (span: Span) => Promise<Result>,
): Promise<Result> => run(definition, ROOT_CONTEXT, work);

/** @param type a status code, a code or the name of an error */
export const failSpan = (span: Span, type: string): unknown =>
  span.setAttribute("error.type", type).setStatus({ code: SpanStatusCode.ERROR });

async function run<Result>(
  definition: SpanDefinition,
  parent: Context,
  work: (span: Span) => Promise<Result>,
): Promise<Result> {
  const span = beginSpan(definition, parent);
  try {
    return await context.with(trace.setSpan(parent, span), work, undefined, span);
  } catch (error) {
    failSpan(span, typeOf(error));
    throw error;
  } finally {
    span.end();
  }
}

/** A message may quote what somebody wrote; the kind is enough to find the error in the log. */
function typeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const { title, code } = error as { title?: unknown; code?: unknown };
  if (typeof title === "string") return title;
  return typeof code === "string" ? code : error.name;
}
