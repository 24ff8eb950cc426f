import { newKey, pause, random } from "./platform.ts";
import { ConnectionError, ProblemError, problemOf } from "./problems.ts";

/**
 * How a call is sent, repeated and answered [client.calls]. What there is to call is generated from the API's own
 * description.
 */

export interface ClientSettings {
  /** Where the API is, such as `https://quiz.example.com`; a path in it stands before every operation's. */
  baseUrl: string;
  /** A key of the store (`svc_live_...`), or what gives one for each call. */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** Sent with each call, or what gives them for each call. */
  headers?: Headings | (() => Headings) | undefined;
  /** Instead of the platform's, to send through a proxy, to log, to test. */
  fetch?: Fetch | undefined;
  /** Whether a browser sends cookies along. */
  credentials?: "omit" | "same-origin" | "include" | undefined;
  /** How often a call is sent again, 3 without a choice. */
  retries?: number | undefined;
  /**
   * Milliseconds that one sending may take, 35,000 where nothing is said: the server gives up at 30,000 [client.time].
   */
  timeout?: number | undefined;
}

export interface CallOptions {
  /** Ends the call, between two attempts as well. */
  signal?: AbortSignal | undefined;
  timeout?: number | undefined;
  retries?: number | undefined;
  headers?: Headings | undefined;
  /**
   * For changes: the same key on a later call with the same body gives the first one's answer for a day
   * [client.idempotency]. Each call makes one by itself; give yours where the process may die between the change and
   * its answer.
   */
  idempotencyKey?: string | undefined;
}

/** For figures that the caller holds: the ETag of their answer. */
export interface UnlessUnchanged extends CallOptions {
  ifNoneMatch: string;
}

export type Headings = Readonly<Record<string, string>>;
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** The place of an operation, and whether it may be sent again when nobody knows if it was received. */
export interface Route {
  method: string;
  path: string;
  /** It reads, deletes, or carries an idempotency key. */
  repeatable?: boolean;
  keyed?: boolean;
}

export interface Input {
  path?: object | undefined;
  query?: object | undefined;
  body?: unknown;
}

/** An answer with what came beside it. */
export interface Answered<Data> {
  data: Data;
  response: Response;
  requestId: string | null;
  /** Of figures: what `ifNoneMatch` takes */
  etag: string | null;
}

/** A promise of an answer's body; `withResponse()` adds status and headers. */
export interface Reply<Data> extends Promise<Data> {
  withResponse(): Promise<Answered<Data>>;
}

export interface Client {
  send(route: Route, input: Input, options?: CallOptions): Promise<Answered<unknown>>;
}

export function createClient(settings: ClientSettings): Client {
  return { send: (route, input, options = {}) => send(settings, route, input, options) };
}

export function call<Data>(client: Client, route: Route, input: Input, options?: CallOptions): Reply<Data> {
  return replyOf(client.send(route, input, options) as Promise<Answered<Data>>);
}

export function replyOf<Data>(sent: Promise<Answered<Data>>): Reply<Data> {
  const data = sent.then((answered) => answered.data);
  const withResponse = () => {
    // whoever asks this way hears of a failure this way
    data.catch(() => undefined);
    return sent;
  };
  return Object.assign(data, { withResponse });
}

async function send(settings: ClientSettings, route: Route, input: Input, options: CallOptions) {
  const told = `${route.method} ${route.path}`;
  const url = settings.baseUrl.replace(/\/+$/, "") + filled(route.path, input.path) + queryOf(input.query);
  const init = await initOf(settings, route, input, options);
  const retries = options.retries ?? settings.retries ?? 3;
  for (let attempt = 0; ; attempt++) {
    const outcome = await sendOnce(settings, told, url, init, options);
    if (!(outcome instanceof Error)) return outcome;
    const wait = attempt < retries ? waitAfter(outcome, route, attempt) : null;
    if (wait === null) throw outcome;
    await pause(wait, options.signal);
  }
}

/**
 * An id goes into its own segment whatever it holds, so that no text of a user's leads to another address
 * [client.paths].
 */
const filled = (path: string, values: object = {}): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = (values as Record<string, unknown>)[name];
    if (typeof value !== "string" || value === "" || /^\.{1,2}$/.test(value))
      throw new TypeError(`path.${name} is missing`);
    return encodeURIComponent(value);
  });

function queryOf(values: object = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined && value !== null) query.set(name, String(value));
  }
  return query.size === 0 ? "" : `?${query}`;
}

async function initOf(
  settings: ClientSettings,
  route: Route,
  input: Input,
  options: CallOptions,
): Promise<RequestInit> {
  const { apiKey, headers: always = {}, credentials } = settings;
  const key = typeof apiKey === "function" ? await apiKey() : apiKey;
  const { ifNoneMatch } = options as Partial<UnlessUnchanged>;
  const headers = new Headers({
    accept: "application/json",
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(input.body === undefined ? {} : { "content-type": "application/json" }),
    ...(route.keyed ? { "idempotency-key": options.idempotencyKey ?? newKey() } : {}),
    ...(ifNoneMatch === undefined ? {} : { "if-none-match": ifNoneMatch }),
  });
  // one that is given takes the place of the client's own, however it is written
  for (const given of [typeof always === "function" ? always() : always, options.headers ?? {}])
    for (const [name, value] of Object.entries(given)) headers.set(name, value);
  return {
    method: route.method,
    headers,
    ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
    ...(credentials === undefined ? {} : { credentials }),
  };
}

async function sendOnce(
  settings: ClientSettings,
  told: string,
  url: string,
  init: RequestInit,
  { signal, timeout = settings.timeout ?? 35_000 }: CallOptions,
): Promise<Answered<unknown> | ProblemError | ConnectionError> {
  const stop = new AbortController();
  const forward = () => stop.abort(signal?.reason);
  signal?.throwIfAborted();
  signal?.addEventListener("abort", forward, { once: true });
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    stop.abort();
  }, timeout);
  try {
    const response = await (settings.fetch ?? fetch)(url, { ...init, signal: stop.signal });
    return answered(told, response, await response.text());
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    return new ConnectionError(told, timedOut, error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", forward);
  }
}

function answered(told: string, response: Response, text: string): Answered<unknown> | ProblemError {
  const { status, headers } = response;
  const beside = { response, requestId: headers.get("request-id"), etag: headers.get("etag") };
  if (status === 304) return { data: null, ...beside };
  if (!response.ok) return problemOf(told, response, text);
  try {
    return { data: text === "" ? null : JSON.parse(text), ...beside };
  } catch {
    return problemOf(told, response, text);
  }
}

/** Seconds. A longer pause is the caller's to decide about: `retryAfter` of the error says it. */
const longestPause = 60;

/**
 * Milliseconds until the next attempt, null where none may follow [client.retries]. A 429 changed nothing. After
 * anything else that passes nobody knows whether the call took effect, so that only what may be repeated is.
 */
function waitAfter(error: ProblemError | ConnectionError, route: Route, attempt: number): number | null {
  const passing = error instanceof ConnectionError || [502, 503, 504].includes(error.status);
  const refused = error instanceof ProblemError && error.status === 429;
  if (!refused && !(passing && route.repeatable)) return null;
  const asked = error instanceof ProblemError ? error.retryAfter : null;
  if (asked !== null && asked > longestPause) return null;
  // spread, so that many clients that were refused together do not come back together
  if (asked !== null) return asked * 1_000 * (1 + random() / 10);
  return Math.min(500 * 2 ** attempt, 8_000) * (0.5 + random());
}
