/** A small HTTP client that returns the status, headers, text and JSON of every answer unchanged. */

import type { Problem } from "../client/src/index.ts";

/** What `/v1` answers with, as integrators' programs read it. */
export type {
  Problem,
  Profile as PersonDetail,
  ProfileSession as PersonSession,
  ProfileSummary as Person,
  QuizSummary,
  Store as StoreObject,
  VersionSummary,
} from "../client/src/index.ts";

export interface Answer<T> {
  status: number;
  headers: Headers;
  text: string;
  /** The body parsed as JSON; null if it is not JSON. */
  body: T;
}

export interface Asked {
  method?: string;
  headers?: Readonly<Record<string, string>>;
  /** A string is sent unchanged, anything else as JSON. */
  body?: unknown;
}

export async function request<T = Problem>(url: string, asked: Asked = {}): Promise<Answer<T>> {
  const { method = "GET", body } = asked;
  const json = body !== undefined && typeof body !== "string" ? { "content-type": "application/json" } : {};
  const text = body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body);
  const response = await fetch(url, { method, headers: { ...json, ...asked.headers }, body: text, redirect: "manual" });
  const answered = await response.text();
  let read: unknown = null;
  try {
    read = JSON.parse(answered);
  } catch {
    read = null;
  }
  return { status: response.status, headers: response.headers, text: answered, body: read as T };
}

export interface Client {
  get: <T = Problem>(path: string, headers?: Readonly<Record<string, string>>) => Promise<Answer<T>>;
  post: <T = Problem>(path: string, body?: unknown, headers?: Readonly<Record<string, string>>) => Promise<Answer<T>>;
  delete: <T = Problem>(path: string) => Promise<Answer<T>>;
  ask: <T = Problem>(method: string, path: string, body?: unknown) => Promise<Answer<T>>;
}

/** A client of `/v1` with one key. */
export function client(url: string, key: string): Client {
  const authorization = `Bearer ${key}`;
  return {
    get: (path, headers) => request(`${url}${path}`, { headers: { authorization, ...headers } }),
    post: (path, body, headers) =>
      request(`${url}${path}`, { method: "POST", headers: { authorization, ...headers }, body }),
    delete: (path) => request(`${url}${path}`, { method: "DELETE", headers: { authorization } }),
    ask: (method, path, body) => request(`${url}${path}`, { method, headers: { authorization }, body }),
  };
}

/** Follows `next_cursor` to the end; returns the pages. */
export async function pagesOf<T>(api: Client, path: string): Promise<T[][]> {
  const pages: T[][] = [];
  const joint = path.includes("?") ? "&" : "?";
  for (let cursor: string | null = ""; cursor !== null; ) {
    const more: string = cursor === "" ? "" : `${joint}cursor=${encodeURIComponent(cursor)}`;
    const answer: Answer<ListOf<T>> = await api.get<ListOf<T>>(`${path}${more}`);
    if (answer.status !== 200) throw new Error(`${path}${more}: ${answer.status} ${answer.text}`);
    pages.push(answer.body.data);
    cursor = answer.body.has_more ? answer.body.next_cursor : null;
    if (pages.length > 200) throw new Error("the pages do not end");
  }
  return pages;
}

export interface ListOf<T> {
  data: T[];
  has_more: boolean;
  next_cursor: string | null;
}
