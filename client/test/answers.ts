import type { CallOptions, ClientSettings } from "../src/core.ts";

/** A `fetch` that gives prepared answers one after the other, and remembers what it was asked. */

export interface Asked {
  url: string;
  method: string;
  headers: Headers;
  body: string | null;
}

export type Prepared = Response | Error | ((asked: Asked, signal: AbortSignal) => Response | Promise<Response>);

export const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { "request-id": "req_1", ...headers } });

export const refusal = (
  status: number,
  title: string,
  headers: Record<string, string> = {},
  more: object = {},
): Response =>
  json(
    { type: `http://api/errors/${title}`, title, status, detail: "No", request_id: "req_1", ...more },
    status,
    headers,
  );

export function answering(...prepared: Prepared[]): { asked: Asked[]; settings: ClientSettings } {
  const asked: Asked[] = [];
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const request = { url, method: init.method ?? "", headers: new Headers(init.headers), body: bodyOf(init) };
    asked.push(request);
    const next = prepared.shift();
    if (next === undefined) throw new Error(`nothing is prepared for request ${asked.length}`);
    if (next instanceof Error) throw next;
    return typeof next === "function" ? next(request, init.signal ?? new AbortController().signal) : next;
  };
  return { asked, settings: { baseUrl: "http://api/", apiKey: "svc_live_1", fetch } };
}

const bodyOf = ({ body }: RequestInit): string | null => (typeof body === "string" ? body : null);

/** Never answers; ends as a real `fetch` does when its signal is aborted. */
export const silence: Prepared = (_, signal) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });

/** Options for calls that are to wait for nothing but what the answers ask. */
export const once: CallOptions = { retries: 0 };
