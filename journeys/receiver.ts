import { createServer, type IncomingHttpHeaders } from "node:http";
import { Webhook } from "standardwebhooks";
import { listenLocally } from "../testkit/machine.ts";
import type { Answer, Client, ListOf } from "./http.ts";
import { until } from "./program.ts";

/** An integrator's receiver of webhooks: a plain HTTP server on this machine. */

export interface Envelope {
  id: string;
  type: string;
  created: string;
  api_version: string;
  data: { object: Record<string, unknown> };
}

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
  envelope: Envelope;
  /** The status of its answer; null: not answered. */
  status: number | null;
  /** Unix milliseconds. */
  arrivedAt: number;
}

export interface Receiver {
  /** `host:port`, in the form of the operator's list of allowed hosts. */
  host: string;
  address: (path: string) => string;
  /** Requests received at a path so far, oldest first. */
  at: (path: string) => Received[];
  /** Chooses the answers at a path, given the request and how often its id came before; 200 by default. */
  behave: (path: string, choose: (received: Received, before: number) => number | null) => void;
  /** Waits until the requests at a path suit, at most `seconds`; returns them in any case. */
  wait: (path: string, suits: (all: Received[]) => boolean, seconds?: number) => Promise<Received[]>;
  close: () => Promise<void>;
}

export async function openReceiver(): Promise<Receiver> {
  const all: Received[] = [];
  const choices = new Map<string, (received: Received, before: number) => number | null>();
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    request.on("end", () => {
      const path = request.url ?? "";
      const received: Received = {
        ...{ path, headers: request.headers, text, envelope: JSON.parse(text) as Envelope, status: null },
        arrivedAt: Date.now(),
      };
      const before = all.filter((one) => one.path === path && one.envelope.id === received.envelope.id).length;
      received.status = choices.has(path) ? (choices.get(path)?.(received, before) ?? null) : 200;
      all.push(received);
      if (received.status !== null) response.writeHead(received.status).end("thank you");
    });
  });
  const { port, close } = await listenLocally(server);
  const host = `127.0.0.1:${port}`;
  const at = (path: string): Received[] => all.filter((one) => one.path === path);
  return {
    ...{ host, at, address: (path) => `http://${host}${path}` },
    behave: (path, choose) => {
      choices.set(path, choose);
    },
    wait: (path, suits, seconds = 20) => until(async () => at(path), suits, seconds),
    close,
  };
}

/**
 * The envelope, if an independent verifier accepts it when it arrives; throws otherwise. The verifier refuses what is
 * older than five minutes, which a story on a busy machine may take to look at what arrived.
 */
export function verified(secret: string, { text, headers, arrivedAt }: Received): Envelope {
  const names = ["webhook-id", "webhook-timestamp", "webhook-signature"];
  const signed = Object.fromEntries(names.map((name) => [name, String(headers[name])]));
  const { now } = Date;
  Date.now = () => arrivedAt;
  try {
    return new Webhook(secret).verify(text, signed) as Envelope;
  } finally {
    Date.now = now;
  }
}

export interface Endpoint {
  id: string;
  url: string;
  topics: string[];
  include_pii: boolean;
  quiz_ids: string[] | null;
  description: string | null;
  status: string;
  disabled_reason: string | null;
  disabled_at: string | null;
  failing_since: string | null;
  created_at: string;
}

export interface Delivery {
  id: string;
  endpoint_id: string;
  event_id: string;
  topic: string;
  status: string;
  attempts: number;
  created_at: string;
  next_attempt_at: string;
  delivered_at: string | null;
  last_status_code: number | null;
  last_response: string | null;
  last_error: string | null;
  payload: Envelope | null;
}

export interface FeedEntry {
  id: string;
  type: string;
  created: string;
  api_version: string;
  deliveries: { id: string; endpoint_id: string; status: string }[];
}

function wanted<T>(answer: Answer<T>, status: number): T {
  if (answer.status !== status) throw new Error(`${answer.status} instead of ${status}: ${answer.text}`);
  return answer.body;
}

export async function subscribe(
  api: Client,
  url: string,
  topics: readonly string[],
  more: Record<string, unknown> = {},
): Promise<Endpoint & { secret: string }> {
  return wanted(await api.post<Endpoint & { secret: string }>("/v1/webhooks", { url, topics, ...more }), 201);
}

export const endpointOf = async (api: Client, { id }: { id: string }): Promise<Endpoint> =>
  wanted(await api.get<Endpoint>(`/v1/webhooks/${id}`), 200);

/** An endpoint's newest deliveries, at most 100. */
export const deliveriesOf = async (api: Client, { id }: { id: string }): Promise<Delivery[]> =>
  wanted(await api.get<ListOf<Delivery>>(`/v1/webhooks/${id}/deliveries?limit=100`), 200).data;

export const ping = async (api: Client, { id }: { id: string }): Promise<Delivery> =>
  wanted(await api.post<Delivery>(`/v1/webhooks/${id}/ping`), 202);
