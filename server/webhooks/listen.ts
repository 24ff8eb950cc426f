import { setTimeout as pause } from "node:timers/promises";
import { eventTopics } from "../../contract/events.ts";
import { unixNow } from "../platform/clock.ts";
import type { CommandDeps, StoreOption } from "../platform/command-line/commands.ts";
import type { PayloadBuilders } from "../platform/event-payloads.ts";
import { UsageError } from "../platform/operator-error.ts";
import { storeNamed } from "../stores/public.ts";
import { newSecret } from "./secrets.ts";
import { Sender } from "./send/attempt.ts";
import { signatureHeaders } from "./send/sign.ts";
import { EventWatch, type WatchedEvent } from "./watch.ts";

/**
 * `quizstore listen`: prints a store's events to the terminal and forwards them to a receiver in development
 * [webhooks.listen].
 */

export interface ListenOptions extends StoreOption {
  forward?: string;
  topics?: string;
  includePii?: boolean;
}

interface ListenDeps extends CommandDeps {
  builders: PayloadBuilders;
}

const lookEveryMs = 300;

export async function listen(deps: ListenDeps, options: ListenOptions, stopped: AbortSignal): Promise<void> {
  const { database, calendar, random, builders } = deps;
  const store = await storeNamed(database.reader(), options.store);
  calendar.learn(store);
  const topicFilter = parseTopics(options.topics);
  const includePii = options.includePii ?? false;
  const watch = new EventWatch({ database, builders, now: () => calendar.of(store.id).now(), includePii }, store.id);
  const forward = options.forward === undefined ? null : new Forward(options.forward, newSecret(random));
  process.stderr.write(`listening to ${store.shopDomain}; press Ctrl-C to stop\n`);
  if (forward) process.stderr.write(`forwarding to ${options.forward}, signed with ${forward.secret}\n`);
  try {
    while (!stopped.aborted) {
      for (const event of await watch.next()) {
        if (topicFilter === null || topicFilter.has(event.topic))
          await printAndForward(event, forward, options.json ?? false);
      }
      await pause(lookEveryMs, undefined, { signal: stopped }).catch(() => undefined);
    }
  } finally {
    await forward?.close();
  }
}

function parseTopics(list: string | undefined): ReadonlySet<string> | null {
  if (list === undefined) return null;
  const topics = list.split(",").map((topic) => topic.trim());
  const known: readonly string[] = eventTopics;
  const unknown = topics.find((topic) => !known.includes(topic));
  if (unknown !== undefined) throw new UsageError(`there is no topic ${unknown}; the topics are ${known.join(", ")}`);
  return new Set(topics);
}

async function printAndForward(event: WatchedEvent, forward: Forward | null, json: boolean): Promise<void> {
  const outcome = forward ? await forward.send(event) : null;
  if (json) process.stdout.write(`${event.body}\n`);
  else process.stdout.write(`${event.topic.padEnd(26)} ${event.id}${outcome === null ? "" : `  ${outcome}`}\n`);
}

/** Sends like the deliverer, but to the one address given on the command line, whether or not it is public. */
class Forward {
  readonly secret: string;
  readonly #url: string;
  readonly #sender: Sender;

  constructor(address: string, secret: string) {
    const url = URL.canParse(address) ? new URL(address) : null;
    if (!url || (url.protocol !== "http:" && url.protocol !== "https:")) {
      throw new UsageError("--forward takes an address such as http://localhost:3000/hook");
    }
    const port = url.port || (url.protocol === "https:" ? "443" : "80");
    this.secret = secret;
    this.#url = url.href;
    this.#sender = new Sender({ allow: [`${url.hostname}:${port}`], unixNow });
  }

  async send({ id, body }: WatchedEvent): Promise<string> {
    const bytes = Buffer.from(body);
    const timestamp = Math.floor(unixNow() / 1000);
    const headers = signatureHeaders({ id, timestamp, body: bytes }, [this.secret]);
    const { error, statusCode } = await this.#sender.post({
      url: this.#url,
      headers,
      body: bytes,
      onSent: () => undefined,
    });
    return error ?? String(statusCode);
  }

  close(): Promise<void> {
    return this.#sender.close();
  }
}
