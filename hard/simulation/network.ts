import { Sender } from "../../server/webhooks/send/attempt.ts";
import { readRetryAfter } from "../../server/webhooks/send/schedule.ts";

/** The network between the deliverer and its receivers: in memory, with latencies and faults drawn from the seed. */

type Post = Parameters<Sender["post"]>[0];
type Outcome = Awaited<ReturnType<Sender["post"]>>;

/** The outcome of one request, and its delay in ms. */
export interface Reaction {
  after: number;
  status: number | null;
  retryAfter?: string;
  error?: string;
}

export type Receive = (post: Post) => Reaction;

const refused: Receive = () => ({ after: 3, status: null, error: "connect ECONNREFUSED" });

export class Network {
  readonly #now: () => number;
  readonly #receivers = new Map<string, Receive>();
  /** number of requests that reached a receiver */
  posts = 0;

  /** @param now calendar ms */
  constructor(now: () => number) {
    this.#now = now;
  }

  begin(): void {
    this.#receivers.clear();
  }

  connect(url: string, receive: Receive): void {
    this.#receivers.set(url, receive);
  }

  react(post: Post): Reaction {
    this.posts += 1;
    return (this.#receivers.get(post.url) ?? refused)(post);
  }

  sender(): SimulatedSender {
    return new SimulatedSender(this, this.#now);
  }
}

const attemptMs = 15_000;

/** Sends a deliverer's requests over the simulated network. Attempts over real sockets are tested elsewhere. */
export class SimulatedSender extends Sender {
  readonly #network: Network;
  readonly #now: () => number;
  readonly #open = new Set<() => void>();

  constructor(network: Network, now: () => number) {
    super({ unixNow: now, allow: [] });
    this.#network = network;
    this.#now = now;
  }

  override post(post: Post): Promise<Outcome> {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const reaction = this.#network.react(post);
    const end = (outcome: Outcome) => {
      clearTimeout(timer);
      this.#open.delete(interrupt);
      resolve(outcome);
    };
    const interrupt = () => end({ ...nothing, error: "interrupted", interrupted: true });
    const timer = setTimeout(() => end(this.#outcome(reaction)), Math.min(reaction.after, attemptMs));
    this.#open.add(interrupt);
    if (reaction.error === undefined) post.onSent();
    return promise;
  }

  #outcome({ after, status, retryAfter, error }: Reaction): Outcome {
    if (after >= attemptMs) return { ...nothing, error: "timeout: no complete answer within 15 s" };
    if (status === null) return { ...nothing, error: error ?? "the connection was closed" };
    const good = status >= 200 && status < 300;
    const retryAfterMs = readRetryAfter(retryAfter, this.#now());
    return {
      ...nothing,
      error: good ? null : `HTTP ${status}`,
      statusCode: status,
      response: "answered",
      retryAfterMs,
    };
  }

  override interrupt(): void {
    for (const end of [...this.#open]) end();
  }
}

const nothing: Outcome = { error: null, statusCode: null, response: null, retryAfterMs: null, interrupted: false };
