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
 * Where the time of one piece of work went, for whoever follows it through several machines [operations.traces].
 * OpenTelemetry's API records nothing until open-telemetry.ts is loaded, which is done only where the settings ask for
 * it.
 *
 * Attributes say what kind of thing it was, and ids: no parameters of statements, no addresses with what they carry, no
 * texts of people.
 */
export interface SpanDefinition extends SpanOptions {
  /** of few values: `GET /v1/quizzes/:quiz_id`, never an id */
  name: string;
}

export const beginSpan = (definition: SpanDefinition, parent: Context = ROOT_CONTEXT): Span =>
  trace.getTracer("quizstore").startSpan(definition.name, definition, parent);

const unrecorded = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);

/** Whether there is a span for work to be a part of. */
export const isTraced = (): boolean => trace.getActiveSpan() !== undefined;

/** A part of the span around it; where there is none, nothing is recorded. A rejection fails the span. */
export const tracePart = <Result>(
  definition: SpanDefinition,
  work: (span: Span) => Promise<Result>,
): Promise<Result> => (isTraced() ? run(definition, context.active(), work) : work(unrecorded));

/** Work that nobody waits for: a trace of its own. */
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

/** A message may quote what somebody wrote; its kind is enough to find it in the log. */
function typeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const { title, code } = error as { title?: unknown; code?: unknown };
  if (typeof title === "string") return title;
  return typeof code === "string" ? code : error.name;
}
