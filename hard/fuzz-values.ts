import type { Random } from "../demo/random.ts";
import type { Schema } from "./fuzz-document.ts";
import type { Known } from "./fuzz-known.ts";

/** Values that a schema accepts, and values that nobody should send. */

const dayMs = 86_400_000;

/** None of them looks like what `fuzz-check.ts` considers a leak. */
export const hostileTexts: readonly string[] = [
  ...["", " ", "\t", "null", "true", "0", "-1", "NaN", "Infinity", "1e309", "0x10", "[]", "{}"],
  ...["'", '"', "`", "\\", "%", "%00", "_", "*", "$1", ";", "--", "' OR '1'='1", "'); DROP TABLE quizzes; --"],
  ...[
    "../../../../etc/hosts",
    "..%2f..%2f",
    "http://169.254.169.254/",
    "<script>alert(1)</script>",
    "#{7*7}",
    "{{7*7}}",
  ],
  ...["\u0000", "a\u0000b", "\ud800", "\udfff\ud800", "\ufeff", "\u202e", "\u200b", "\u00a0", "\u2028", "é", "e\u0301"],
  ...[
    "ß",
    "İ",
    "ı",
    "Ω",
    "ﬁ",
    "👩‍👩‍👧‍👦",
    "漢字",
    "😀".repeat(50),
    "\u0301".repeat(300),
    "x".repeat(201),
    "x".repeat(5_000),
  ],
  ...[
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "2026-02-30",
    "0000-00-00",
    "9999-12-31",
    "-0001-01-01",
  ],
  ...["2026-11-21T00:00:00Z", "12:00", "UTC+1", "ABC5", "Europe/Berlin ", "europe/berlin", "gid://shopify/Product/1"],
  ...["=1+1", "@SUM(1)", "+49", "\r\nSet-Cookie: a=b", "quiz_", `quiz_${"0".repeat(32)}`, `quiz_${"A".repeat(32)}`],
];

const hostileNumbers: readonly number[] = [
  ...[0, -0, -1, 1, 0.1, 1.5, 99, 100, 101, 1000, 1001, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 53 - 1, 2 ** 53, 2 ** 63],
  ...[-(2 ** 31) - 1, -(2 ** 63), 1e21, 1e308, -1e308, 5e-324, 1e-7, 123456789012345],
];

export function nested(depth: number): unknown {
  let value: unknown = "deep";
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

export function hostileValue(random: Random): unknown {
  return random.pick<() => unknown>([
    () => random.pick(hostileTexts),
    () => random.pick(hostileTexts),
    () => random.pick(hostileNumbers),
    () => random.pick(hostileNumbers),
    () => null,
    () => random.chance(0.5),
    () => [],
    () => ({}),
    () => [random.pick(hostileTexts), random.pick(hostileNumbers)],
    () => ({ [random.pick(hostileTexts)]: random.pick(hostileNumbers) }),
    () => nested(random.pick([3, 20, 63, 64, 65, 200])),
    () => Array.from({ length: random.pick([2, 60, 201, 1_000]) }, (_, index) => index),
  ])();
}

const words = ["rose", "Balm", "naïve", "grün", "test", "a b", "100%", "o'neil", "x_y", "日本", "😀", "-", "1"];

function text(schema: Schema, random: Random): string {
  const least = Number(schema["minLength"] ?? 0);
  const most = Number(schema["maxLength"] ?? 300);
  if (random.chance(0.1)) return "é".repeat(random.pick([least, Math.min(least + 1, most), most - 1, most]));
  const made = Array.from({ length: random.int(1, 3) }, () => random.pick(words)).join(" ");
  return made.slice(0, most).padEnd(least, "x");
}

const zones = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "Asia/Kolkata",
  "Pacific/Apia",
  "Africa/Cairo",
  "Asia/Kathmandu",
];

/** Values that a field of that name requires beyond its schema, so that requests pass more than the schema check. */
const byName: Record<string, (random: Random, known: Known) => unknown> = {
  tz: (random) => random.pick(zones),
  channel: (random) => random.pick(["embed", "online_store", "nobody"]),
  device: (random) => random.pick(["desktop", "mobile", "tablet", "other"]),
  new_returning: (random) => random.pick(["new", "returning"]),
  country: (random) => random.pick(["DE", "US", "unknown", "ZZ"]),
  region: (random) => random.pick(["US-CA", "DE-BY", "unknown", "ZZ-1"]),
  q: (random) => random.pick(["a", "example", "@", "+49", "%", "_", "é", "ann"]),
  url: (random, known) => known.receiver(random),
  component_key: (random, known) => known.word(random, "component_key"),
  page_key: (random, known) => known.word(random, "page_key"),
  dimension_id: (random, known) => known.word(random, "dimension_id"),
  period: (random) => random.pick(["day", "week", "month", "7d", "30d"]),
};

function stringOf(schema: Schema, name: string, random: Random, known: Known): string {
  const prefix = /^\^([a-z]+)_\[0-9a-f\]\{32\}\$$/.exec(String(schema["pattern"] ?? ""))?.[1];
  if (prefix) return known.own(random, prefix);
  if (String(schema["pattern"] ?? "").startsWith("^evt_")) return known.eventId(random);
  const hint = Object.hasOwn(byName, name) ? byName[name] : undefined;
  if (hint && random.chance(0.9)) return String(hint(random, known));
  const at = known.now + random.int(-40, 0) * dayMs;
  if (schema["format"] === "date") return new Date(at).toISOString().slice(0, 10);
  if (schema["format"] === "date-time") return new Date(at + random.int(0, dayMs)).toISOString();
  if (schema["pattern"] === "^[a-z0-9_]{1,32}$") return random.pick(["embed", "online_store", "a", "0_".repeat(16)]);
  return text(schema, random);
}

function numberOf(schema: Schema, random: Random, whole: boolean): number {
  const low = Number(schema["minimum"] ?? -10);
  const high = Number(schema["maximum"] ?? Math.max(low, 0) + 1_000);
  if (random.chance(0.2)) return random.pick([low, high, Math.min(low + 1, high)]);
  return whole ? random.int(low, Math.min(high, low + 100)) : low + Math.round(random.next() * 1_000) / 8;
}

function objectOf(schema: Schema, random: Random, known: Known): Record<string, unknown> {
  const properties = (schema["properties"] ?? {}) as Record<string, Schema>;
  const required = new Set((schema["required"] ?? []) as string[]);
  const share = random.pick([0.1, 0.4, 0.8]);
  const chosen = Object.entries(properties).filter(([name]) => required.has(name) || random.chance(share));
  return Object.fromEntries(chosen.map(([name, inner]) => [name, rightValue(inner, name, random, known)]));
}

function arrayOf(schema: Schema, name: string, random: Random, known: Known): unknown[] {
  const least = Number(schema["minItems"] ?? 0);
  const most = Math.min(Number(schema["maxItems"] ?? 5), least + 4);
  const length = random.chance(0.05) ? Math.min(Number(schema["maxItems"] ?? 9), 60) : random.int(least, most);
  const items = (schema["items"] ?? {}) as Schema;
  const made = Array.from({ length }, () => rightValue(items, name, random, known));
  return schema["uniqueItems"] ? [...new Set(made)] : made;
}

/** A value that usually fits the schema: it satisfies bounds, but its meaning only if that can be guessed. */
export function rightValue(schema: Schema, name: string, random: Random, known: Known): unknown {
  const forms = schema["anyOf"] as Schema[] | undefined;
  if (forms) return rightValue(random.pick(forms), name, random, known);
  if ("const" in schema) return schema["const"];
  if (schema["enum"]) return random.pick(schema["enum"] as unknown[]);
  const types = [schema["type"] ?? "any"].flat() as string[];
  const type = random.pick(types);
  if (type === "null") return null;
  if (type === "boolean") return random.chance(0.5);
  if (type === "integer" || type === "number") return numberOf(schema, random, type === "integer");
  if (type === "string") return stringOf(schema, name, random, known);
  if (type === "array") return arrayOf(schema, name, random, known);
  if (type === "object") return objectOf(schema, random, known);
  return hostileValue(random);
}

/** The places in a value, as containers with names or indexes; without the value itself. */
function places(value: unknown): { within: Record<string, unknown> | unknown[]; key: string | number }[] {
  if (value === null || typeof value !== "object") return [];
  const keys = Array.isArray(value) ? value.slice(0, 20).map((_, index) => index) : Object.keys(value);
  const within = value as Record<string, unknown>;
  return keys.flatMap((key) => [{ within, key }, ...places(within[key])]);
}

/** As text, whatever it is: String() would fail for an object with its own `toString`. */
const asText = (value: unknown): string => (typeof value === "object" ? (JSON.stringify(value) ?? "") : String(value));

/** A copy with one to three mistakes: parts are replaced, removed, added, duplicated or swapped. */
export function bent(value: unknown, random: Random): unknown {
  const root = { value: structuredClone(value) };
  for (let count = random.pick([1, 1, 1, 2, 3]); count > 0; count -= 1) {
    const all = places(root);
    const { within, key } = random.pick(all);
    const holder = within as Record<string, unknown>;
    const change = random.int(0, 7);
    if (change <= 3) holder[key] = hostileValue(random);
    else if (change === 4 && !Array.isArray(within) && key !== "value") delete holder[key];
    else if (change === 5 && holder[key] !== null && typeof holder[key] === "object") {
      const inner = holder[key] as Record<string, unknown>;
      if (Array.isArray(inner)) inner.push(hostileValue(random));
      else
        inner[random.pick(["extra", "id", "store_id", "__proto_", "constructor", "limit", ""])] = hostileValue(random);
    } else if (change === 6) holder[key] = [holder[key], holder[key]];
    else holder[key] = asText(holder[key]).slice(0, 1_000);
  }
  return root.value;
}
