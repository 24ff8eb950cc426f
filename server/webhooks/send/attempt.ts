import { Agent, type Dispatcher } from "undici";
import { type ConnectorDeps, safeConnector } from "./connector.ts";
import { failureText } from "./failure-text.ts";
import { readRetryAfter } from "./schedule.ts";

/**
 * One POST to a receiver, with limits on time and size [webhooks.attempt, webhooks.attempt-time, webhooks.kept-answer].
 */

export interface Post {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  /** called once the request has been written to an open connection; never earlier */
  onSent: () => void;
}

export interface AttemptResult {
  /** null if it was delivered, otherwise a human-readable reason */
  error: string | null;
  statusCode: number | null;
  /** the beginning of the response body */
  response: string | null;
  /** real ms the receiver asks to wait (Retry-After) */
  retryAfterMs: number | null;
  /** ended by this program, so it says nothing about the receiver */
  interrupted: boolean;
}

export interface SenderDeps extends Omit<ConnectorDeps, "connectMs"> {
  /** real time in ms since 1970 */
  unixNow: () => number;
  connectMs?: number;
  attemptMs?: number;
}

const storedBytesAtMost = 4_096;
/** Interim responses (1xx) allowed in one attempt; a serious receiver sends one or two at most. */
const interimAtMost = 16;
const headersAtMost = 16 * 1024;
/** An idle connection is kept this long, which is shorter than most servers keep theirs. */
const idleTimeoutMs = 4_000;

const commonHeaders = {
  "content-type": "application/json",
  "user-agent": "QuizStore-Webhooks/1.0",
  "accept-encoding": "identity",
};

export class Sender {
  readonly #agent: Agent;
  readonly #unixNow: () => number;
  readonly #attemptMs: number;
  readonly #open = new Set<OneAttempt>();

  constructor({ unixNow, connectMs = 5_000, attemptMs = 15_000, ...connector }: SenderDeps) {
    this.#unixNow = unixNow;
    this.#attemptMs = attemptMs;
    this.#agent = new Agent({
      connect: safeConnector({ ...connector, connectMs }),
      // permits limit the attempts under way before this point; nothing may queue here
      connections: null,
      pipelining: 1,
      keepAliveTimeout: idleTimeoutMs,
      keepAliveMaxTimeout: 10 * 60_000,
      maxHeaderSize: headersAtMost,
      // the attempt has its own timer that covers everything
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** Resolves when the attempt is over, whatever its result; never rejects. */
  async post({ url, headers, body, onSent }: Post): Promise<AttemptResult> {
    const attempt = new OneAttempt(this.#unixNow, onSent);
    this.#open.add(attempt);
    const timer = setTimeout(() => attempt.timeUp(this.#attemptMs), this.#attemptMs);
    try {
      const { origin, pathname, search } = new URL(url);
      const path = pathname + search;
      this.#agent.dispatch({ origin, path, method: "POST", headers: { ...commonHeaders, ...headers }, body }, attempt);
    } catch (error) {
      attempt.failed(error);
    }
    const result = await attempt.result;
    clearTimeout(timer);
    this.#open.delete(attempt);
    return result;
  }

  /** Ends all attempts under way as interrupted. */
  interrupt(): void {
    for (const attempt of this.#open) attempt.interrupt();
  }

  async close(): Promise<void> {
    this.interrupt();
    await this.#agent.destroy();
  }
}

/**
 * The callbacks of undici for one request. The first event that ends the attempt decides its result; later ones have no
 * effect.
 */
class OneAttempt implements Dispatcher.DispatchHandler {
  readonly result: Promise<AttemptResult>;
  readonly #unixNow: () => number;
  readonly #onSent: () => void;
  #resolve: (result: AttemptResult) => void = () => undefined;
  #ended = false;
  #controller: Dispatcher.DispatchController | null = null;
  #interim = 0;
  #statusCode: number | null = null;
  #retryAfterMs: number | null = null;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(unixNow: () => number, onSent: () => void) {
    this.#unixNow = unixNow;
    this.#onSent = onSent;
    this.result = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // undici writes the request after this callback returns, and the microtask runs after that: even if the process
    // stalls, no send is counted before its bytes went out
    if (this.#ended) controller.abort(new Error("the attempt is over"));
    else queueMicrotask(this.#onSent);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Record<string, unknown>): void {
    if (status < 200) {
      this.#interim += 1;
      if (this.#interim > interimAtMost) this.#cut("too many interim answers before the answer");
      return;
    }
    this.#statusCode = status;
    const retryAfter = headers["retry-after"];
    this.#retryAfterMs = readRetryAfter(typeof retryAfter === "string" ? retryAfter : undefined, this.#unixNow());
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    const room = storedBytesAtMost - this.#bytes;
    // copied, since a slice would keep the connection's whole buffer in memory
    this.#chunks.push(Buffer.from(chunk.subarray(0, room)));
    this.#bytes += Math.min(chunk.length, room);
    // the result is known and the rest of the body is not needed
    if (chunk.length > room || this.#bytes === storedBytesAtMost) this.#cut(statusError(this.#statusCode));
  }

  onResponseEnd(): void {
    this.#end(statusError(this.#statusCode));
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#end(failureText(error));
  }

  timeUp(milliseconds: number): void {
    this.#cut(`timeout: no complete answer within ${milliseconds / 1_000} s`);
  }

  interrupt(): void {
    this.#cut("interrupted", true);
  }

  failed(error: unknown): void {
    this.#end(failureText(error));
  }

  #end(error: string | null, interrupted = false): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#resolve({
      error,
      statusCode: this.#statusCode,
      response: this.#statusCode === null ? null : this.#text(),
      retryAfterMs: this.#retryAfterMs,
      interrupted,
    });
  }

  /** Ends an attempt without reading the rest of its response, which costs the connection. */
  #cut(error: string | null, interrupted = false): void {
    this.#end(error, interrupted);
    this.#controller?.abort(new Error("the attempt is over"));
  }

  #text(): string {
    const bytes = Buffer.concat(this.#chunks);
    // a character cut in half at the limit is dropped; PostgreSQL text cannot contain NUL
    const text = new TextDecoder().decode(bytes, { stream: this.#bytes === storedBytesAtMost });
    return text.replaceAll("\u0000", "");
  }
}

const statusError = (status: number | null): string | null => {
  if (status !== null && status >= 200 && status < 300) return null;
  const redirect = status !== null && status >= 300 && status < 400;
  return `HTTP ${status}${redirect ? "; redirects are not followed" : ""}`;
};
