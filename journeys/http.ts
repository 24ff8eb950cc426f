/** A small HTTP client that returns the status, headers, text and JSON of every answer unchanged. */

export interface Answer<T> {
  status: number;
  headers: Headers;
  text: string;
  /** The body parsed as JSON; null if it is not JSON. */
  body: T;
}

export interface Problem {
  type: string;
  title: string;
  detail: string;
  status: number;
  request_id: string;
  required?: string[];
  retry_after?: number;
  errors?: { field: string; message: string }[];
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

export interface QuizSummary {
  id: string;
  name: string;
  status: string;
  archived: boolean;
  page_count: number;
  created_at: string;
  updated_at: string;
  published_version?: string;
  latest_version?: VersionSummary;
  urls: Record<string, string>;
}

export interface VersionSummary {
  id: string;
  quiz_id: string;
  number: number;
  label: string | null;
  page_count: number;
  published: boolean;
  created_at: string;
}

export interface Person {
  id: string;
  email: string | null;
  phone: string | null;
  first_seen_at: string | null;
  last_seen_at: string | null;
  last_order_at: string | null;
  completed_count: number;
  orders_count: number;
  sessions_count: number;
  quizzes: { id: string; name: string }[];
  removed: boolean;
  returning: boolean;
  spent: { amount: string; currency: string };
}

export interface PersonAnswer {
  component_key: string;
  page_key: string;
  question: string;
  page_title: string | null;
  kind: string;
  value: unknown;
  values: string[];
  image_urls: (string | null)[];
  removed: boolean;
}

export interface PersonSession {
  session_id: string;
  quiz_id: string;
  quiz_name: string;
  started_at: string;
  channel: string;
  device_class: string;
  status: string;
  completed_at: string | null;
  ended_at: string | null;
  country: string | null;
  last_page_key: string | null;
  last_page_title: string | null;
  last_page_position: number | null;
  page_count: number | null;
  version_number: number | null;
  pages_visited: number;
  returning: boolean | null;
  order: unknown;
}

export interface PersonDetail {
  id: string;
  first_seen_at: string | null;
  last_seen_at: string;
  last_order_at: string | null;
  completed_count: number;
  orders_count: number;
  quizzes_taken_count: number;
  sessions_count: number;
  removed: boolean;
  removed_at: string | null;
  returning: boolean | null;
  returning_count: number | null;
  spent: { amount: string; currency: string } | null;
  identities: { kind: string; value: string; consent: boolean | null; first_seen_at: string; last_seen_at: string }[];
  latest_results: {
    quiz_id: string;
    quiz_name: string;
    session_id: string;
    started_at: string;
    completed_at: string;
    version_number: number | null;
    answers: PersonAnswer[];
    formulas: { component_key: string; page_key: string; label: string; value: number }[];
    points: { dimension_id: string; name: string; total: number }[];
    points_total: number | null;
    winner: unknown;
    result_page: Record<string, unknown> | null;
  }[];
  orders: unknown[];
  sessions: PersonSession[];
}

export interface StoreObject {
  name: string;
  shop_domain: string;
  currency: string;
  timezone: string;
  plan_class: string;
  scopes: string[];
  credits: { limit: number; used: number; threshold: number; overages_enabled: boolean };
  limits: Record<string, number>;
}
