import { newKey, pause, random } from "./platform.ts";
import { ConnectionError, ProblemError, problemOf } from "./problems.ts";

/**
 * How a call is sent, repeated and answered [client.calls]. The operations are generated from the API's own
 * description.
 */

export interface ClientSettings {
  /** The API's address, such as `https://quiz.example.com`; a path in it precedes every operation's. */
  baseUrl: string;
  /** A key of the store (`svc_live_...`), or a function that returns one for each call. */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** Headers sent with each call, or a function that returns them for each call. */
  headers?: Headings | (() => Headings) | undefined;
  /** Replaces the platform's fetch, to use a proxy, to log, to test. */
  fetch?: Fetch | undefined;
  /** Whether a browser sends cookies along. */
  credentials?: "omit" | "same-origin" | "include" | undefined;
  /** How often a call is repeated, 3 by default. */
  retries?: number | undefined;
  /** Milliseconds that one attempt may take, 35,000 by default: the server gives up at 30,000 [client.time]. */
  timeout?: number | undefined;
}

export interface CallOptions {
  /** Ends the call, also between two attempts. */
  signal?: AbortSignal | undefined;
  timeout?: number | undefined;
  retries?: number | undefined;
  headers?: Headings | undefined;
  /**
   * For changes: a later call with the same key and body gets the first one's answer for a day [client.idempotency].
   * Each call generates a key by itself; pass your own if the process may die between the change and its answer.
   */
  idempotencyKey?: string | undefined;
}

/** For figures that the caller already has: the ETag of their answer. */
export interface UnlessUnchanged extends CallOptions {
  ifNoneMatch: string;
}

export type Headings = Readonly<Record<string, string>>;
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** An operation's path, and whether it may be repeated when it is unknown whether it was received. */
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

/** An answer with its status and headers. */
export interface Answered<Data> {
  data: Data;
  response: Response;
  requestId: string | null;
  /** For figures: pass it as `ifNoneMatch` */
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
    // the caller learns of a failure from this promise
    data.catch(() => undefined);
    return sent;
  };
  return Object.assign(data, { withResponse });
}

async function send(settings: ClientSettings, route: Route, input: Input, options: CallOptions) {
  const label = `${route.method} ${route.path}`;
  const url = settings.baseUrl.replace(/\/+$/, "") + filled(route.path, input.path) + queryOf(input.query);
  const init = await initOf(settings, route, input, options);
  const retries = options.retries ?? settings.retries ?? 3;
  for (let attempt = 0; ; attempt++) {
    const outcome = await sendOnce(settings, label, url, init, options);
    if (!(outcome instanceof Error)) return outcome;
    const wait = attempt < retries ? waitAfter(outcome, route, attempt) : null;
    if (wait === null) throw outcome;
    await pause(wait, options.signal);
  }
}

/**
 * An id stays within its own path segment whatever it contains, so that no user's text leads to another address
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
  // a header of the call replaces the client's own, in any capitalisation
  for (const source of [typeof always === "function" ? always() : always, options.headers ?? {}])
    for (const [name, value] of Object.entries(source)) headers.set(name, value);
  return {
    method: route.method,
    headers,
    ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
    ...(credentials === undefined ? {} : { credentials }),
  };
}

async function sendOnce(
  settings: ClientSettings,
  label: string,
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
    return answered(label, response, await response.text());
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    return new ConnectionError(label, timedOut, error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", forward);
  }
}

function answered(label: string, response: Response, text: string): Answered<unknown> | ProblemError {
  const { status, headers } = response;
  const beside = { response, requestId: headers.get("request-id"), etag: headers.get("etag") };
  if (status === 304) return { data: null, ...beside };
  if (!response.ok) return problemOf(label, response, text);
  try {
    return { data: text === "" ? null : JSON.parse(text), ...beside };
  } catch {
    return problemOf(label, response, text);
  }
}

/** Seconds. Whether to wait longer is for the caller to decide, by the error's `retryAfter`. */
const longestPause = 60;

/**
 * Milliseconds until the next attempt, null if there must be none [client.retries]. A 429 changed nothing. After any
 * other temporary failure it is unknown whether the call took effect, so that only repeatable calls are repeated.
 */
function waitAfter(error: ProblemError | ConnectionError, route: Route, attempt: number): number | null {
  const passing = error instanceof ConnectionError || [502, 503, 504].includes(error.status);
  const refused = error instanceof ProblemError && error.status === 429;
  if (!refused && !(passing && route.repeatable)) return null;
  const retryAfter = error instanceof ProblemError ? error.retryAfter : null;
  if (retryAfter !== null && retryAfter > longestPause) return null;
  // jitter, so that many clients that were refused together do not come back together
  if (retryAfter !== null) return retryAfter * 1_000 * (1 + random() / 10);
  return Math.min(500 * 2 ** attempt, 8_000) * (0.5 + random());
}
