import type { Random } from "../demo/random.ts";
import type { FuzzDocument } from "./fuzz-document.ts";
import type { Known } from "./fuzz-known.ts";
import type { FuzzKey, Shot } from "./fuzz-shot.ts";
import { hostileTexts } from "./fuzz-values.ts";

/** Requests outside the document: other methods, altered paths, malformed keys, pages, download links. */

const methods = ["OPTIONS", "PUT", "TRACE", "PROPFIND", "QUERY", "LOCK", "PURGE", "POST", "DELETE", "PATCH", "GET"];

const authorizationOf = (key: FuzzKey): string[] => (key.header === null ? [] : ["authorization", key.header]);

/** A path of the document with a method that it does not support: 405, whatever the key and the body [api.methods]. */
export function methodShot({ operations }: FuzzDocument, key: FuzzKey, random: Random, known: Known): Shot {
  const { path } = random.pick(operations);
  const taken = operations.filter((operation) => operation.path === path).map(({ method }) => method);
  const method = random.pick(
    methods.filter((one) => !taken.includes(one) && !(one === "HEAD" && taken.includes("GET"))),
  );
  const filled = path.replaceAll(/\{(\w+)\}/g, () => known.own(random, random.pick(["quiz", "ver", "prof", "whe"])));
  return {
    ...{ label: "other method", operation: null, method, path: filled, key: null },
    headers: [...authorizationOf(key), "content-type", "text/x"],
    ...{ body: ["GET", "TRACE"].includes(method) ? null : "{not json", statuses: [405] },
    judge: ({ headers }) => {
      const allow = String(headers["allow"] ?? "").split(", ");
      const due = taken.flatMap((one) => (one === "GET" ? ["GET", "HEAD"] : [one])).sort();
      return allow.join() === due.join() ? null : `Allow is ${allow.join()}, should be ${due.join()}`;
    },
  };
}

const pathTricks: readonly ((path: string) => string)[] = [
  (path) => `${path}/`,
  (path) => `/${path}`,
  (path) => path.replace("/v1/", "/v1//"),
  (path) => path.toUpperCase(),
  (path) => path.replace("/v1", "/V1"),
  (path) => path.replace("/v1/", "/v1/./"),
  (path) => path.replace("/v1/", "/v1/../v1/"),
  (path) => `/${path.slice(1).replaceAll("/", "%2F")}`,
  (path) => `${path};a=b`,
  (path) => `${path}%00`,
  (path) => `${path}%0d%0aX: y`.replace(" ", "%20"),
  (path) => `${path}.json`,
  (path) => path.replace("/v1", "/v2"),
  (path) => path.slice(0, -1),
  (path) => `${path}\\..\\`,
  (path) => `${path}/%e0%a4%a`,
  (path) => `${path}/${"a".repeat(9_000)}`,
];

/** Paths that are almost one of the document's: 404 without checking the key [api.check-order]. */
export function pathShot({ operations }: FuzzDocument, key: FuzzKey, random: Random, known: Known): Shot {
  const { path, method } = random.pick(operations);
  const filled = path.replaceAll(/\{(\w+)\}/g, () => known.own(random, "quiz"));
  const target = random.pick(pathTricks)(filled);
  // the rest may be a route with a malformed id
  return {
    ...{
      label: "bent path",
      operation: null,
      method,
      path: target,
      key: null,
      headers: authorizationOf(key),
      body: null,
    },
    statuses: [404, 401, 403, 405, 422, ...(key.store === "tight" ? [429] : [])],
  };
}

/** Authorization headers that are not a key: always 401. */
export function keyShot({ operations }: FuzzDocument, keys: readonly FuzzKey[], random: Random, known: Known): Shot {
  const operation = random.pick(operations);
  const real = random.pick(keys.filter(({ good, header }) => good && header !== null)).header ?? "";
  const key = real.replace("Bearer ", "");
  const at = random.int(9, key.length - 1);
  const flipped = `${key.slice(0, at)}${key[at] === "a" ? "b" : "a"}${key.slice(at + 1)}`;
  const header = random.pick([
    ...[`Bearer ${flipped}`, `Bearer ${key.slice(0, -1)}`, `Bearer ${key}a`, `Basic ${key}`, key, `Bearer  `, "Bearer"],
    ...[
      `Bearer ${key}, Bearer ${key}`,
      `Bearer "${key}"`,
      `Bearer ${key.toUpperCase()}`,
      `Bearer ${"a".repeat(9_000)}`,
    ],
    ...[`Bearer svc_live_${"0".repeat(36)}`, `Bearer é${key}`, `Token ${key}`, "", " "],
  ]);
  const path = operation.path.replaceAll(/\{(\w+)\}/g, () => known.own(random, "quiz"));
  const body = operation.method === "GET" ? null : "{}";
  return {
    ...{ label: "odd key", operation: null, method: operation.method, path, key: null, body },
    headers: ["authorization", header, "content-type", "application/json"],
    statuses: [401],
  };
}

/** Pages for people, the document itself, and download links whose token is valid, altered or another file's. */
export function pageShot(random: Random, known: Known): Shot {
  const link = known.links.items.length === 0 ? null : new URL(random.pick(known.links.items));
  const token = link?.searchParams.get("token") ?? "a";
  const at = random.int(0, token.length - 1);
  const bentToken = random.pick([
    `${token.slice(0, at)}${token[at] === "A" ? "B" : "A"}${token.slice(at + 1)}`,
    ...[token.slice(1), `${token}A`, "", "%00", `${token}&a=b`, `${token}&token=${token}`],
  ]);
  const file = link?.pathname ?? `/exports/${known.nobodys(random, "exp")}`;
  const other = `/exports/${known.strangers(random, "exp")}`;
  const [path, statuses] = random.pick<[string, readonly number[]]>([
    [`${file}?token=${token}`, link ? [200, 206, 304, 404, 416] : [404]],
    [`${file}?token=${bentToken}`, [404]],
    [`${other}?token=${token}`, [404]],
    [`/exports/${encodeURIComponent(random.pick(hostileTexts).toWellFormed()).slice(0, 300)}`, [404]],
    ["/errors/not_found", [200]],
    [`/errors/${encodeURIComponent(random.pick(hostileTexts).toWellFormed()).slice(0, 300)}`, [200, 404]],
    ["/openapi.json", [200]],
    // the application decides what it shows; a test's app may be without one
    [`/dashboard/quizzes/${known.own(random, "quiz")}`, [200, 503]],
    [
      `/dashboard/profiles/${encodeURIComponent(random.pick(hostileTexts).toWellFormed()).slice(0, 300)}`,
      [200, 404, 503],
    ],
    [`/${encodeURIComponent(random.pick(hostileTexts).toWellFormed()).slice(0, 300)}`, [200, 302, 404]],
  ]);
  const range = random.pick([
    "bytes=0-9",
    "bytes=-1",
    "bytes=5-1",
    "bytes=99999999999-",
    "bytes=0-0,2-3",
    "x",
    "bytes=a-b",
  ]);
  const headers = random.chance(0.4) ? ["range", range] : random.chance(0.2) ? ["accept-encoding", "gzip"] : [];
  return { label: "pages and links", operation: null, method: "GET", path, key: null, headers, body: null, statuses };
}
