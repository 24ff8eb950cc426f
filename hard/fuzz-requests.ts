import type { Random } from "../demo/random.ts";
import type { FuzzOperation, Parameter, Schema } from "./fuzz-document.ts";
import type { Known, KnownCursor } from "./fuzz-known.ts";
import type { FuzzKey, Shot } from "./fuzz-shot.ts";
import { bent, hostileTexts, hostileValue, nested, rightValue } from "./fuzz-values.ts";

/** Requests to the document's operations: valid ones, and ones that are wrong in one place or several. */

/** Whether a part of a request is valid according to the document; null if the document leaves that open. */
type Soundness = boolean | null;

interface Part<T> {
  value: T;
  sound: Soundness;
  label: string;
}

const malformedIds = ["nonsense", "quiz_", "%00", "a%2Fb", "é".repeat(3), "x".repeat(150), "'"];

/** With these, a path does not belong to the API, whoever asks [api.check-order]. */
const unroutable = ["%zz", "%e0%a4%a", "x".repeat(300), "", "a/b"];

function pathOf(operation: FuzzOperation, random: Random, known: Known): Part<string> {
  const names = operation.parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name);
  const prefixOf = (name: string) =>
    ({ version_id: "ver", delivery_id: "whd", endpoint_id: "whe" })[name] ?? name.slice(0, 4);
  const kind = (name: string) => ({ quiz_id: "quiz", profile_id: "prof", export_id: "exp" })[name] ?? prefixOf(name);
  const pair = names.length > 1 ? known.pair(random, kind(names[1] ?? "")) : null;
  const ids = names.map((name, index) => pair?.[index] ?? known.own(random, kind(name)));
  if (operation.id === "deleteQuiz")
    ids[0] = known.doomed.length > 0 ? random.pick(known.doomed) : known.nobodys(random, "quiz");
  let label = "";
  if (names.length > 0 && random.chance(0.15)) {
    const index = random.int(0, names.length - 1);
    const prefix = kind(names[index] ?? "");
    const [made, how] = random.pick<[string, string]>([
      [known.strangers(random, prefix), "stranger's id"],
      [known.strangers(random, prefix), "stranger's id"],
      [known.nobodys(random, prefix), "nobody's id"],
      [known.ofAnotherKind(random, prefix), "id of another kind"],
      [(ids[index] ?? "").toUpperCase(), "id in capitals"],
      [`${ids[index]}0`, "longer id"],
      [(ids[index] ?? "").slice(0, -1), "shorter id"],
      [encodeURI(random.pick(malformedIds)).replaceAll("%25", "%"), "malformed id"],
      [random.pick(unroutable), "unroutable id"],
    ]);
    ids[index] = made;
    label = how;
  }
  const value = names.reduce((path, name, index) => path.replace(`{${name}}`, ids[index] ?? ""), operation.path);
  return { value, sound: label === "", label };
}

const typeOf = (schema: Schema): string => String([schema["type"] ?? "string"].flat()[0]);

/** Parses a text as a value of the declared type, as strictly as the API does [api.parameters]. */
function readText(schema: Schema, text: string): unknown {
  const type = typeOf(schema);
  if (type === "integer") return /^-?(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : text;
  return type === "boolean" && (text === "true" || text === "false") ? text === "true" : text;
}

const rawQueries = [
  "%zz",
  "a%",
  "=&=&",
  "&&",
  "?",
  "%ed%a0%80=1",
  "limit[]=1",
  "limit[a]=1",
  "%00=1",
  "a=b=c",
  "+",
  "#x",
];

function queryOf(operation: FuzzOperation, random: Random, known: Known): Part<string> {
  const declared = operation.parameters.filter((parameter) => parameter.in === "query");
  const pairs: [string, string][] = declared
    .filter(({ name, required }) => required || (name !== "cursor" && random.chance(0.3)))
    .map(({ name, schema }) => [name, String(rightValue(schema, name, random, known))]);
  let label = "";
  if (random.chance(0.25)) label = bendQuery(pairs, declared, random, known);
  const text = pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join("&");
  if (label === "raw query") {
    const raw = random.pick(rawQueries);
    return { value: `?${text}&${raw}`, sound: raw === "&&" || raw === "#x" ? null : raw === "+" ? false : null, label };
  }
  const values = Object.fromEntries(
    pairs.map(([name, value]) => [name, readText(declared.find((one) => one.name === name)?.schema ?? {}, value)]),
  );
  const twice = new Set(pairs.map(([name]) => name)).size < pairs.length;
  const sound = !twice && operation.takesQuery(values);
  return { value: text === "" ? "" : `?${text}`, sound, label };
}

const encode = (text: string): string => encodeURIComponent(text.toWellFormed());

function bendQuery(pairs: [string, string][], declared: readonly Parameter[], random: Random, known: Known): string {
  const names = declared.map(({ name }) => name);
  const change = random.int(0, 5);
  if (change === 0) {
    pairs.push([random.pick(["odd", "Limit", "limit ", "__proto__", "constructor", "limit[]", "store_id"]), "1"]);
    return "undeclared parameter";
  }
  if (change === 1 && pairs.length > 0) {
    const [name, value] = random.pick(pairs);
    pairs.push([name, random.chance(0.5) ? value : random.pick(hostileTexts)]);
    return "parameter twice";
  }
  if (change === 2) return "raw query";
  if (names.length === 0) return "";
  const name = random.pick(names);
  const at = pairs.findIndex(([other]) => other === name);
  const text = name === "quiz_id" && random.chance(0.5) ? known.strangers(random, "quiz") : hostileText(random);
  if (at >= 0) pairs.splice(at, 1, [name, text]);
  else pairs.push([name, text]);
  return "hostile parameter";
}

const hostileText = (random: Random): string => {
  const value = hostileValue(random);
  return typeof value === "string" ? value : JSON.stringify(value).slice(0, 3_000);
};

interface Encoded {
  bytes: string | Buffer | null;
  headers: readonly string[];
}

const json = ["content-type", "application/json"];

/** Ways to make a body invalid that no schema describes; all of them give a 422 of `body` [api.bodies]. */
const faults: readonly ((text: string, random: Random) => Encoded)[] = [
  (text) => ({ bytes: text.slice(0, Math.max(1, text.length - 1)), headers: json }),
  (text, random) => ({ bytes: `${text}${random.pick(["x", "}", "{}", "\u0000", ",", "//"])}`, headers: json }),
  (text) => ({ bytes: Buffer.concat([Buffer.from(text), Buffer.from([0xff, 0xfe])]), headers: json }),
  (text) => ({ bytes: Buffer.from(text, "utf16le"), headers: json }),
  (text) => ({ bytes: `{'a':1,${text.slice(1)}`, headers: json }),
  (_, random) => ({ bytes: random.pick(["null", "1", "[]", '"x"', "NaN", "-", "{]", "true"]), headers: json }),
  (_, random) => ({
    bytes: random.pick(["[", '{"a":', "[{"]).repeat(random.pick([65, 5_000, 100_000])),
    headers: json,
  }),
  (_, random) => ({ bytes: JSON.stringify(nested(random.pick([66, 100, 4_000]))), headers: json }),
  (text, random) => {
    const type = random.pick([
      "text/plain",
      "application/xml",
      "a",
      "application/json; charset=latin1",
      "multipart/form-data",
    ]);
    return { bytes: text, headers: ["content-type", type] };
  },
  (text) => ({ bytes: text, headers: [...json, "content-encoding", "gzip"] }),
  (text) => ({ bytes: text, headers: [] }),
];

function bodyOf(operation: FuzzOperation, random: Random, known: Known): Part<Encoded> {
  const { body } = operation;
  if (body === null && random.chance(0.93)) return { value: { bytes: null, headers: [] }, sound: true, label: "" };
  if (random.chance(0.002)) {
    const bytes = `{"label":"${"x".repeat(1024 * 1024)}"}`;
    return { value: { bytes, headers: json }, sound: false, label: "body over 1 MiB" };
  }
  const right = body === null ? {} : rightValue(body, "body", random, known);
  if (random.chance(0.08)) {
    return { value: random.pick(faults)(JSON.stringify(right), random), sound: false, label: "broken body" };
  }
  const value = random.chance(body === null ? 0.5 : 0.3) ? bent(right, random) : right;
  const text = JSON.stringify(value) ?? "null";
  if (random.chance(0.03)) {
    const doubled = text.replace(
      /^\{"(\w+)":/,
      (start, name: string) => `{"${name}":null,"__proto__":{"a":1},${start.slice(1)}`,
    );
    return { value: { bytes: doubled, headers: json }, sound: null, label: "doubled names" };
  }
  // values without a JSON form, such as infinity, arrive as something else
  return { value: { bytes: text, headers: json }, sound: operation.takes(JSON.parse(text)), label: "" };
}

const tagLists = [
  '"a"',
  'W/"a"',
  '"a", "b", W/"c"',
  "*",
  "a",
  '"',
  '""',
  ",,,",
  "*, *",
  `"${"x".repeat(1_100)}"`,
  "W/",
];

function headersOf(operation: FuzzOperation, random: Random): string[] {
  const headers: string[] = [];
  const declares = (name: string) => operation.parameters.some((one) => one.in === "header" && one.name === name);
  if (declares("Idempotency-Key") && random.chance(0.4)) {
    const odd = random.pick(["", " ", "a b", "é", "x".repeat(256), "\t"]);
    headers.push("idempotency-key", random.chance(0.1) ? odd : random.hex(16));
  }
  if (declares("If-None-Match") && random.chance(0.15)) headers.push("if-none-match", random.pick(tagLists));
  if (random.chance(0.06)) {
    headers.push(
      ...random.pick<string[]>([
        ["x-http-method-override", "DELETE"],
        ["accept", "text/html"],
        ["accept", ""],
        ["accept-encoding", "br;q=9"],
        ["range", "bytes=0-0"],
        ["x-forwarded-for", `${"1.1.1.1, ".repeat(200)}x`],
        ["host", "other.example"],
        ["origin", "https://a.example"],
        ["cookie", "a=b"],
        ["if-modified-since", "yesterday"],
        ["x-request-id", `req_${"0".repeat(32)}`],
        ["request-id", "mine"],
        ["traceparent", "00-zz-1-1"],
      ]),
    );
  }
  return headers;
}

/** The only operations whose scope may depend on the request's content [api.body-scopes]. */
const scopeOfBody = new Set(["createExport", "getExport", "createWebhook", "updateWebhook", "listExports"]);

/** Whether it only accepts the keys of test twins. */
export const ofTwins = (operation: FuzzOperation): boolean =>
  operation.answers.get(403)?.titles.has("test_key_required") ?? false;

/** The statuses that a request may get, by the order of checks [api.check-order]. */
export function statusesOf(operation: FuzzOperation, key: FuzzKey, sound: Soundness, pathSound: boolean): number[] {
  if (!key.good) return [401];
  const pausable = operation.answers.get(403)?.titles.has("plan_required") ?? false;
  if (key.store === "paused" && pausable) return [403];
  if (ofTwins(operation) && key.store !== "twin") return [403];
  if (operation.scope !== null && !key.scopes.has(operation.scope)) return [403];
  const limited = key.store === "tight" || operation.cost === "search" ? [429] : [];
  const ofBody = scopeOfBody.has(operation.id) && key.scopes.size < 6 ? [403] : [];
  if (sound === false) return [422, ...limited, ...ofBody];
  if (!pathSound) return [404, 422, ...limited, ...ofBody];
  const declared = [...operation.answers.keys()].filter((status) => status < 500 && ![401, 403, 429].includes(status));
  return [...declared, ...limited, ...ofBody];
}

/** One request to an operation. */
export function operationShot(operation: FuzzOperation, key: FuzzKey, random: Random, known: Known): Shot {
  const path = pathOf(operation, random, known);
  const query = queryOf(operation, random, known);
  const body = bodyOf(operation, random, known);
  const sound =
    query.sound === false || body.sound === false ? false : query.sound === null || body.sound === null ? null : true;
  const authorization = key.header === null ? [] : ["authorization", key.header];
  const method = operation.method === "GET" && random.chance(0.05) ? "HEAD" : operation.method;
  const label = [
    path.label,
    query.label,
    body.label,
    sound === false && !query.label && !body.label ? "wrong shape" : "",
  ];
  return {
    label: label.filter((text) => text !== "").join(", ") || "sound",
    ...{ method, key, path: path.value + query.value, body: body.value.bytes },
    operation: path.label === "unroutable id" ? null : operation,
    headers: [...authorization, ...body.value.headers, ...headersOf(operation, random)],
    statuses: path.label === "unroutable id" ? [404, 405] : statusesOf(operation, key, sound, path.sound !== false),
  };
}

/** A cursor unchanged, altered, or used in the wrong place [api.cursors]. */
export function cursorShot(
  { text, operation: owner, path, body }: KnownCursor,
  operation: FuzzOperation,
  key: FuzzKey,
  random: Random,
): Shot {
  const joint = path.includes("?") ? "&" : "?";
  const at = random.int(0, text.length - 1);
  const bends = [
    `${text.slice(0, at)}${text[at] === "A" ? "B" : "A"}${text.slice(at + 1)}`,
    ...[
      text.slice(0, at),
      `${text}A`,
      `${text}=`,
      text.split("").reverse().join(""),
      text.toLowerCase(),
      "",
      "x".repeat(201),
    ],
  ];
  const right = random.chance(0.4);
  const cursor = right ? text : random.pick(bends.filter((one) => one !== text));
  const elsewhere = right && random.chance(0.3) && owner === "listProfiles";
  const target = `${path}${joint}cursor=${encodeURIComponent(cursor)}${elsewhere ? "&has_phone=false" : ""}`;
  const fits = right && !elsewhere;
  const authorization = key.header === null ? [] : ["authorization", key.header];
  return {
    label: fits ? "cursor" : "bent cursor",
    ...{ operation, method: operation.method, path: target, body, key },
    headers: [...authorization, ...(body === null ? [] : json)],
    // its quiz or endpoint may have been deleted
    statuses: fits ? [200, 404, 429] : [422, 404, 429],
  };
}
