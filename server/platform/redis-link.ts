import { setTimeout as pause } from "node:timers/promises";
import type { createClient } from "redis";

const CONNECT_TIMEOUT_MS = 1_000;
// Longer than the time-out for connecting, because the client cannot abort a TCP handshake in progress.
const DIAL_TIMEOUT_MS = 1_500;
const SILENCE_TIMEOUT_MS = 1_000;
const FIRST_BACKOFF_MS = 50;
const LONGEST_BACKOFF_MS = 2_000;

/** Loaded only if there is a Redis: its files are a third of what every command would load at its start. */
const loadRedis = async () => (await import("redis")).createClient;

const newClient = (create: typeof createClient, url: string) =>
  create({
    url,
    RESP: 2,
    disableOfflineQueue: true,
    maintNotifications: "disabled",
    // We reconnect ourselves: the client would wait forever for a server that accepts the connection and then says
    // nothing.
    socket: { connectTimeout: CONNECT_TIMEOUT_MS, reconnectStrategy: false },
  });

export type RedisClient = ReturnType<typeof newClient>;

/** Redis did not answer in time, or there is no connection to it. */
export class RedisUnreachable extends Error {
  override readonly name = "RedisUnreachable";
}

export interface RedisLinkDeps {
  /** `redis://` or `rediss://` address. */
  readonly url: string;
  /** Uniform in [0, 1): spreads the reconnects of many processes. */
  readonly random: () => number;
  /** Milliseconds from sending a command to giving up on it. */
  readonly commandTimeoutMs: number;
  /** Called when the connection is established (`null`), lost or could not be made (the cause). */
  readonly onChange?: (problem: Error | null) => void;
}

interface Connection {
  readonly client: RedisClient;
  /** Set while an answer is overdue; nothing is sent meanwhile. Fires when the silence has lasted too long. */
  overdue: NodeJS.Timeout | undefined;
}

/**
 * One connection to Redis that answers in time or fails at once, and reconnects in the background.
 *
 * After a time-out nothing is sent until the overdue answer arrives: a stalled server executes its backlog when it
 * wakes, which would charge callers for requests that were refused long ago. After a second of silence the connection
 * is replaced by a new one.
 */
export class RedisLink {
  readonly #options: RedisLinkDeps;
  readonly #create: typeof createClient;
  readonly #closing = new AbortController();
  #connection: Connection | undefined;

  private constructor(options: RedisLinkDeps, create: typeof createClient) {
    this.#options = options;
    this.#create = create;
  }

  /** Waits for the first attempt to connect, successful or not (at most 1.5 s). */
  static async open(options: RedisLinkDeps): Promise<RedisLink> {
    const link = new RedisLink(options, await loadRedis());
    if (!(await link.#dial())) void link.#redial();
    return link;
  }

  /** Runs commands under one time-out. Rejects with `RedisUnreachable`, or with Redis' error. */
  run<T>(commands: (client: RedisClient) => Promise<T>): Promise<T> {
    const connection = this.#connection;
    if (connection === undefined || connection.overdue !== undefined)
      return Promise.reject(new RedisUnreachable("No connection to Redis"));
    return new Promise((resolve, reject) => {
      let answered = false;
      const timer = setTimeout(() => {
        // One more turn of the event loop: if this process was the slow one, the answer is waiting in the socket.
        setImmediate(() => {
          if (answered) return;
          this.#distrust(connection);
          reject(new RedisUnreachable(`No answer from Redis in ${this.#options.commandTimeoutMs} ms`));
        });
      }, this.#options.commandTimeoutMs);
      const settle = () => {
        answered = true;
        clearTimeout(timer);
        clearTimeout(connection.overdue);
        connection.overdue = undefined;
      };
      commands(connection.client).then(
        (value) => {
          settle();
          resolve(value);
        },
        (error: unknown) => {
          settle();
          // This replica was the primary until now: only a new connection finds the new primary.
          if (error instanceof Error && error.message.startsWith("READONLY")) this.#drop(connection.client, error);
          reject(error);
        },
      );
    });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const connection = this.#connection;
    this.#connection = undefined;
    clearTimeout(connection?.overdue);
    connection?.client.destroy();
  }

  #distrust(connection: Connection): void {
    if (connection !== this.#connection || connection.overdue !== undefined) return;
    connection.overdue = setTimeout(
      () => this.#drop(connection.client, new RedisUnreachable("Redis went silent")),
      SILENCE_TIMEOUT_MS,
    );
  }

  #drop(client: RedisClient, problem: Error): void {
    const connection = this.#connection;
    if (connection?.client !== client) return;
    this.#connection = undefined;
    clearTimeout(connection.overdue);
    client.destroy();
    this.#options.onChange?.(problem);
    void this.#redial();
  }

  async #redial(): Promise<void> {
    for (let attempt = 0; !this.#closing.signal.aborted; attempt++) {
      const longest = Math.min(FIRST_BACKOFF_MS * 2 ** attempt, LONGEST_BACKOFF_MS);
      const wait = longest * (0.5 + this.#options.random() / 2);
      // An abort ends the pause, and then the loop.
      await pause(wait, undefined, { signal: this.#closing.signal }).catch(() => undefined);
      if (!this.#closing.signal.aborted && (await this.#dial())) return;
    }
  }

  /** One attempt; true when the link is up, or closed meanwhile. */
  async #dial(): Promise<boolean> {
    const client = newClient(this.#create, this.#options.url);
    client.on("error", (error: Error) => this.#drop(client, error));
    const deadline = new AbortController();
    const overdue = pause(DIAL_TIMEOUT_MS, undefined, {
      signal: AbortSignal.any([deadline.signal, this.#closing.signal]),
    }).then(() => {
      throw new RedisUnreachable(`No connection to Redis in ${DIAL_TIMEOUT_MS} ms`);
    });
    const connected = client.connect();
    try {
      await Promise.race([connected, overdue]);
    } catch (error) {
      // Discards a connection that is established after all.
      connected.then(
        () => client.destroy(),
        () => undefined,
      );
      client.destroy();
      if (this.#closing.signal.aborted) return true;
      this.#options.onChange?.(error instanceof Error ? error : new RedisUnreachable(String(error)));
      return false;
    } finally {
      overdue.catch(() => undefined);
      deadline.abort();
    }
    if (this.#closing.signal.aborted) {
      client.destroy();
      return true;
    }
    this.#connection = { client, overdue: undefined };
    this.#options.onChange?.(null);
    return true;
  }
}
