import { randomUUID } from "node:crypto";
import type { Random } from "../demo/random.ts";
import { newId } from "../journeys/visit.ts";
import { assistant, declaredOperation, readablePage, signIn } from "./attack-addresses.ts";
import type { AttackedQuiz } from "./attack-quizzes.ts";
import { conditionalPages } from "./attack-quizzes.ts";
import type { Request } from "./attack-send.ts";
import type { AttackedShop } from "./attack-world.ts";
import { Genes } from "./genes.ts";

/**
 * Encodes requests as numbers, so that they can be bred: a genome names a route, and each of its genes is a number from
 * 0 to 1 that determines one property of its requests. Genes are drawn at their first use, and kept.
 */

export interface Genome {
  route: Route;
  genes: Readonly<Record<string, number>>;
}

const units = ["a", "ä", "😀", " ", "\u0000", "\\", '"', "é\u0301", "=", "%", "\ud800", "ß١", "<", "7"];
const textOf = (genes: Genes, name: string, most: number): string => {
  const unit = genes.pick(`${name} unit`, units);
  const length = Math.floor(genes.size(`${name} length`, most) / unit.length);
  const text = unit.repeat(length);
  return genes.chance(`${name} distinct`, 0.4) ? `${text.slice(0, -12)}${newId("x").slice(-10)}` : text;
};

const oddNumbers = [0, 1, 7.5, 1e12, -1e12, 1e15, 1e300, 5e-324, 1e-9, 123456789.123, -0, 2 ** 53 + 2];
const types = ["quiz_opened", "page_entered", "answer_saved", "products_shown", "product_added", "quiz_finished"];
const pagesOf: Record<AttackedQuiz, readonly string[]> = {
  short: ["first", "contact", "result"],
  full: ["welcome", "skin_page", "look_page", "oily_page", "about_page", "contact", "result"],
  numbers: ["first", "result"],
  branching: ["first", ...Array.from({ length: conditionalPages }, (_, number) => `page_${number}`)],
  large: ["first", "text_0", "result"],
};
const componentsOf: Record<AttackedQuiz, readonly (readonly [page: string, key: string, kind: string])[]> = {
  short: [
    ["first", "pick", "choice"],
    ["contact", "mail", "email"],
    ["contact", "tel", "phone"],
  ],
  full: [
    ["skin_page", "concerns", "choices"],
    ["about_page", "story", "text"],
    ["about_page", "age", "number"],
    ["about_page", "visit", "date"],
    ["contact", "tel", "phone"],
  ],
  numbers: [
    ["first", "free", "number"],
    ["first", "fine", "number"],
    ["first", "story", "text"],
    ["first", "tel", "phone"],
    ["first", "mail", "email"],
  ],
  branching: [
    ["first", "pick", "picks"],
    ["first", "must", "text"],
    ["first", "tel_0", "phone"],
    ["first", "tel_7", "phone"],
  ],
  large: [["first", "pick", "picks"]],
};

function answerOf(kind: string, genes: Genes, turn: number): object {
  switch (kind) {
    case "choice":
      return { option_ids: [turn % 2 ? "one" : "two"] };
    case "choices":
      return { option_ids: ["acne", "lines", "red"].slice(0, 1 + (turn % 3)) };
    case "picks":
      return { option_ids: [`pick_${turn % 3}`] };
    case "number":
      return { value: genes.chance("plain number") ? turn : oddNumbers[turn % oddNumbers.length] };
    case "date":
      return { value: { date: "2026-01-01", time: textOf(genes, "time", 20) } };
    case "email":
      return {
        value: `${genes.chance("mail distinct") ? newId("m") : "m"}@${"x".repeat(genes.size("mail length", 250))}.example`,
      };
    case "phone":
      return {
        value: `+4930${genes.chance("phone distinct") ? 1_000_000 + turn : 1}${" ".repeat(genes.size("blanks", 300))}1`,
      };
    default:
      return { value: textOf(genes, "story", 10_000) };
  }
}

function fieldsOf(type: string, quiz: AttackedQuiz, genes: Genes, turn: number): object {
  const pages = pagesOf[quiz];
  const page_key = pages[(genes.chance("walk") ? turn : 0) % pages.length];
  const hidden = Array.from({ length: genes.size("hidden", 500) }, (_, at) =>
    genes.chance("known hidden") ? pages[at % pages.length] : `${textOf(genes, "hidden key", 190)}${at}`,
  );
  switch (type) {
    case "page_entered":
      return {
        page_key,
        cause: genes.pick("cause", ["next", "start", "back", "skip", "jump", "restart"]),
        hidden_page_keys: hidden,
      };
    case "answer_saved": {
      const [page = "", component_key = "", kind = ""] = genes.pick("component", componentsOf[quiz]);
      return { page_key: page, component_key, ...answerOf(kind, genes, turn), consent: genes.chance("consent") };
    }
    case "products_shown": {
      const products = Array.from({ length: genes.size("products", 250) }, (_, position) => {
        const product_id = `${textOf(genes, "product", 180)}${genes.chance("distinct products") ? `${turn}-${position}` : position % 3}`;
        return genes.chance("catalog")
          ? { product_id: "gid://shopify/Product/101", position }
          : { product_id, position };
      });
      return { page_key: "result", block_key: "block", products };
    }
    case "product_added":
      return {
        product_id: textOf(genes, "product", 200) || "p",
        variant_id: null,
        quantity: 1 + genes.size("quantity", 999_999),
      };
    default:
      return { page_key };
  }
}

/** Values that all requests of a genome share, so that they can meet in one session. */
export interface Shared {
  session: string;
  visitor: string;
  seq: number;
}

export const newShared = (): Shared => ({ session: newId("sess"), visitor: newId("vis"), seq: 0 });

function eventsBody(victim: AttackedShop, genes: Genes, shared: Shared): string {
  const quiz = genes.pick("quiz", Object.keys(pagesOf) as AttackedQuiz[]);
  const now = Date.now();
  const chosen = types.filter((type) => genes.of(type) > 0.5);
  const events = Array.from({ length: 1 + genes.size("events", 99) }, (_, turn) => {
    const type = chosen[turn % Math.max(1, chosen.length)] ?? "quiz_opened";
    shared.seq += 1;
    const seq = genes.pick("seq", [shared.seq, 1_000_000 - shared.seq, 0, turn]);
    const at = new Date(now - genes.size("age ms", 4e8) - turn).toISOString();
    const id = `evt_${genes.chance("repeated", 0.1) ? "00000000-0000-4000-8000-000000000000" : randomUUID()}`;
    const junk = genes.chance("junk", 0.2) ? { junk: textOf(genes, "junk text", 5_000) } : {};
    return { id, seq, at, type, ...fieldsOf(type, quiz, genes, turn), ...junk };
  });
  const alone = genes.chance("own session", 0.6);
  const utm = genes.chance("utm")
    ? { source: textOf(genes, "source", 500), campaign: textOf(genes, "campaign", 500) }
    : null;
  const session = {
    ...{
      id: alone ? newId("sess") : shared.session,
      visitor_id: genes.chance("own visitor") ? newId("vis") : shared.visitor,
    },
    ...victim.quizzes[quiz],
    ...{
      channel: genes.chance("own channel") ? `c_${shared.seq % 9_999}` : "embed",
      utm,
      preview: genes.chance("preview", 0.1),
    },
    ...{ placement: textOf(genes, "placement", 200), referrer: `https://${textOf(genes, "referrer", 3_000)}.example` },
    page_url: `https://x.example/${textOf(genes, "page url", 3_000)}`,
    client_hints: genes.chance("hints", 0.3)
      ? { platform: textOf(genes, "platform", 100), model: textOf(genes, "model", 200) }
      : null,
  };
  const body = JSON.stringify({ store: victim.publishableKey, sent_at: new Date(now).toISOString(), session, events });
  return body + " ".repeat(genes.size("padding", 200_000) * (genes.chance("padded", 0.1) ? 1 : 0));
}

const hostileUnits = ["[", '{"a":', "[],", "1,", '"\\u0041",', "1e-300,", '{"":0},', '"",', "-0.1,"];

function rawBody(genes: Genes): string {
  const unit = genes.pick("raw unit", hostileUnits);
  const inner = unit.repeat(Math.floor(genes.size("raw size", 1_100_000) / unit.length));
  return genes.pick("raw frame", [inner, `[${inner}0]`, `{"events":[${inner}0]}`, `"${inner.replaceAll('"', "")}"`]);
}

const paths = [
  "/",
  "/errors",
  "/errors/not_found",
  "/openapi.json",
  "/healthz",
  "/readyz",
  "/storefront/v1/quizzes",
  "/x",
];
const keyed = [
  "/v1/store",
  "/v1/quizzes",
  "/v1/profiles?limit=100",
  "/v1/analytics/summary",
  "/v1/events",
  "/v1/exports/x",
];

type Maker = (victim: AttackedShop, genes: Genes, shared: Shared) => Request;

const makers = {
  events: (victim, genes, shared) => ({
    ...{ method: "POST", path: "/storefront/v1/events", body: eventsBody(victim, genes, shared) },
    headers: {
      "content-type": genes.pick("type", ["application/json", "text/plain;charset=UTF-8"]),
      "user-agent": `Mozilla/5.0 (${genes.pick("agent", ["iPhone; CPU", "Linux; Android 14; ", "X11"])}${"a/1 ".repeat(genes.size("agent length", 1_000))})`,
    },
  }),
  "raw events": (_victim, genes) => ({ method: "POST", path: "/storefront/v1/events", body: rawBody(genes) }),
  document: (victim, genes) => {
    const { quiz_id } = victim.quizzes[genes.pick("quiz", Object.keys(pagesOf) as AttackedQuiz[])];
    const tag = genes.pick("tag", [
      "",
      "*",
      `"${"x".repeat(genes.size("tag length", 10_000))}"`,
      '"a",'.repeat(genes.size("tags", 3_000)),
    ]);
    const junk = genes.chance("query junk", 0.2) ? `&${"a=b&".repeat(genes.size("queries", 2_000))}` : "";
    const path = `/storefront/v1/quizzes/${quiz_id}?store=${victim.publishableKey}${junk}`;
    return {
      method: genes.pick("method", ["GET", "GET", "HEAD", "OPTIONS"]),
      path,
      headers: tag === "" ? {} : { "if-none-match": tag },
    };
  },
  commerce: (victim, genes) => ({
    ...{ method: "POST", path: "/commerce/v1/shopify/webhooks", body: rawBody(genes) },
    headers: {
      "x-shopify-topic": genes.pick("topic", ["orders/create", "products/update", "x".repeat(500)]),
      "x-shopify-shop-domain": genes.pick("domain", [victim.domain, "nobody.myshopify.com", newId("shop")]),
      "x-shopify-hmac-sha256": `${"A".repeat(genes.pick("signature", [0, 43, 400]))}=`,
      "x-shopify-webhook-id": newId("id"),
    },
  }),
  page: (_victim, genes) => ({
    method: genes.pick("method", ["GET", "HEAD", "POST", "DELETE"]),
    path:
      genes.pick("path", paths) +
      (genes.chance("odd path", 0.3) ? `/${encodeURIComponent("é/%").repeat(genes.size("path length", 600))}` : ""),
    headers: genes.chance("headers", 0.3)
      ? Object.fromEntries(
          Array.from({ length: genes.size("header count", 90) }, (_, at) => [`x-${at}`, "a".repeat(100)]),
        )
      : {},
  }),
  "without key": (_victim, genes) => ({
    ...{ method: genes.pick("method", ["GET", "POST"]), path: genes.pick("path", keyed) },
    headers: {
      authorization: genes.pick("key", [
        "Bearer svc_live_x",
        `Bearer ${newId("svc_live")}`,
        `Bearer ${"a".repeat(8_000)}`,
        "",
      ]),
    },
    ...(genes.chance("with body", 0.4) ? { body: rawBody(genes) } : {}),
  }),
  readable: readablePage,
  "any operation": (victim, genes) => declaredOperation(victim, genes, rawBody),
  "sign-in": signIn,
  assistant: (victim, genes) => assistant(victim, genes, rawBody),
} as const satisfies Record<string, Maker>;

export type Route = keyof typeof makers;

const weights: readonly (readonly [Route, number])[] = [
  ["events", 8],
  ["raw events", 2],
  ["document", 2],
  ["commerce", 2],
  ["page", 1],
  ["without key", 1],
  ["readable", 3],
  ["any operation", 2],
  ["sign-in", 1],
  ["assistant", 1],
];

export const newGenome = (random: Random): Genome => ({
  route: random.weighted(weights, ([, weight]) => weight)[0],
  genes: {},
});

/** A request of the genome, and the genome including newly drawn genes. GETs and HEADs have no body. */
export function express(
  genome: Genome,
  victim: AttackedShop,
  random: Random,
  shared: Shared,
): { request: Request; genome: Genome } {
  const genes = new Genes(genome.genes, random);
  const make: Maker = makers[genome.route];
  const { body, ...request } = make(victim, genes, shared);
  const bodiless = request.method === "GET" || request.method === "HEAD" || body === undefined;
  const headers = Object.fromEntries(
    Object.entries(request.headers ?? {}).map(([name, value]) => [name, value.replaceAll(/[^\t\x20-\x7e]/g, "")]),
  );
  return {
    request: { ...request, headers, ...(bodiless ? {} : { body }) },
    genome: { route: genome.route, genes: genes.values },
  };
}

/** Redraws a few genes, or changes them a little. */
export function mutated({ route, genes }: Genome, random: Random): Genome {
  const names = Object.keys(genes);
  if (names.length === 0) return { route, genes };
  const changed = { ...genes };
  for (let turn = random.int(1, 4); turn > 0; turn -= 1) {
    const name = random.pick(names);
    const moved = (changed[name] ?? 0) + random.normal(0, 0.15);
    changed[name] = random.chance(0.4) ? random.next() : Math.min(0.999, Math.max(0, moved));
  }
  return { route, genes: changed };
}

/** Takes each gene from one of two parents with the same route; mutates if the routes differ. */
export function crossed(one: Genome, other: Genome, random: Random): Genome {
  if (one.route !== other.route) return mutated(one, random);
  const names = new Set([...Object.keys(one.genes), ...Object.keys(other.genes)]);
  const genes = [...names].map((name) => {
    const [first, second] = random.chance(0.5) ? [one, other] : [other, one];
    return [name, first.genes[name] ?? second.genes[name] ?? 0] as const;
  });
  return { route: one.route, genes: Object.fromEntries(genes) };
}
