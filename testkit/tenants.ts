import { randomBytes, randomUUID } from "node:crypto";
import { expect } from "vitest";
import { storeOperations } from "../contract/api.ts";
import type { Operation } from "../contract/operation.ts";
import type { QuizDocument } from "../engine/document.ts";
import { ownStore, sql } from "../server/platform/database/sql.ts";
import { formatId } from "../server/platform/ids.ts";
import type { Answered, Body, TestApp, TestStore } from "./app.ts";
import { postWebhook, shopOrder } from "./commerce.ts";
import { handOverDue } from "./deliveries.ts";
import { createEndpoint, putDelivery } from "./endpoints.ts";
import { linkOf, putExport } from "./exports.ts";
import { makeQuiz, type TestQuiz } from "./quizzes.ts";
import { sampleQuiz } from "./sample-quiz.ts";
import { send } from "./storefront.ts";

/**
 * Stores with data of every kind, in which every text contains the store's own mark, to see from which store an answer
 * comes.
 */

const newId = (prefix: string): string => `${prefix}_${randomBytes(16).toString("hex")}`;

/** Names that a request can contain; ids are public ones. Keys of quizzes and all other texts begin with the mark. */
export const nameKinds = {
  quiz: "quiz",
  version: "ver",
  person: "prof",
  session: "sess",
  visitor: "vis",
  endpoint: "whe",
  delivery: "whd",
  event: "evt",
  export: "exp",
  key: "key",
  store: "store",
  publishable: "pub",
  page: null,
  component: null,
  choice: null,
  option: null,
  label: null,
  dimension: null,
  formula: null,
  product: null,
  order: null,
} as const;
export type NameKind = keyof typeof nameKinds;
export type Names = Record<NameKind, string>;

/** Names that never existed. */
export function nobodys(): Names {
  const texts = Object.entries(nameKinds).map(([kind, prefix]) => [
    kind,
    prefix === null ? `nobody_${kind}_${randomBytes(4).toString("hex")}` : newId(prefix),
  ]);
  return Object.fromEntries(texts) as Names;
}

export interface Tenant {
  store: TestStore;
  mark: string;
  names: Names;
  quiz: TestQuiz;
  /** path and query of a download */
  link: string;
  secret: string;
}

const keyFields = new Set(["page_key", "component_key", "block_key", "jump_rule_key", "option_id", "dimension_id"]);
const keyReferences = new Set(["source_page_key", "target_page_key"]);
const textFields = new Set(["title", "question", "label", "name", "property_name", "html_text"]);

/** The sample quiz with an additional free text and phone; its texts and keys are marked. */
export function markedQuiz(mark: string): QuizDocument {
  const document = sampleQuiz();
  document.pages[2]?.components.push(
    { kind: "text", component_key: "note", question: "Anything else?", required: false, max_length: 500 },
    { kind: "phone", component_key: "phone", question: "Phone?", required: false, consent: null },
  );
  const marked = (value: unknown, field: string): unknown => {
    if (Array.isArray(value))
      return value.map((each) => (field === "option_ids" ? `${mark}_${each}` : marked(each, field)));
    if (value !== null && typeof value === "object") return Object.fromEntries(Object.entries(value).map(entry(field)));
    if (typeof value !== "string") return value;
    if (keyFields.has(field) || keyReferences.has(field)) return `${mark}_${value}`;
    if (field === "expression") return value.replaceAll("age", `${mark}_age`);
    return textFields.has(field) ? `${value} of ${mark}` : value;
  };
  const entry = (parent: string) => {
    const keyed = parent === "points" || parent === "option_values";
    return ([name, value]: [string, unknown]) => [keyed ? `${mark}_${name}` : name, marked(value, name)];
  };
  return marked(document, "") as QuizDocument;
}

/** The shop's product that the quiz shows. */
const productId = 4711;

async function visit(t: TestApp, tenant: Pick<Tenant, "store" | "mark" | "quiz">, number: number) {
  const { store, mark, quiz } = tenant;
  const session = { id: newId("sess"), visitor_id: newId("vis") };
  const [skin, you, result] = [`${mark}_skin`, `${mark}_you`, `${mark}_result`];
  const product = `gid://shopify/Product/${productId}`;
  const variant = `gid://shopify/ProductVariant/${productId + 1}`;
  const answered = (name: string, fields: object, page_key = you) => ({
    ...{ type: "answer_saved", page_key, component_key: `${mark}_${name}`, ...fields },
  });
  const script = [
    { type: "quiz_opened" },
    { type: "page_entered", page_key: skin, cause: "start" },
    answered("feel", { option_ids: [`${mark}_dry`] }, skin),
    { type: "page_entered", page_key: you, cause: "next" },
    answered("age", { value: 30 + number }),
    answered("email", { value: `${mark}.${number}@example.com`, consent: true }),
    answered("phone", { value: `+1 202 555 0${100 + number}` }),
    answered("note", { value: `a note of ${mark}` }),
    { type: "page_entered", page_key: result, cause: "next" },
    {
      ...{ type: "products_shown", page_key: result, block_key: `${mark}_best` },
      products: [{ product_id: product, variant_id: variant, position: 1, source: mark }],
    },
    { type: "product_added", product_id: product, variant_id: variant, quantity: 1 },
    { type: "quiz_finished", page_key: result },
  ];
  const start = t.calendar.now() - 60_000;
  const events = script.map((event, seq) => ({
    ...{ id: `evt_${randomUUID()}`, seq, at: new Date(start + seq * 1_000).toISOString(), ...event },
  }));
  const address = `https://${mark}.example.com/pages/quiz`;
  const utm = { source: mark, medium: mark, campaign: mark, content: mark, term: mark };
  const facts = { ...session, channel: mark, placement: mark, page_url: address, referrer: address, utm };
  const answer = await send(t, store, quiz, events, { session: facts });
  expect([answer.status, answer.body.rejected]).toEqual([202, []]);
  const order = shopOrder(9000 + number, t.calendar.now(), {
    name: `#${mark}-${number}`,
    email: `${mark}.${number}@example.com`,
    total_price: `${12 + mark.length}.50`,
    lines: [
      { product_id: productId, title: `Cream of ${mark}`, properties: [{ name: "_quiz_session", value: session.id }] },
    ],
  });
  expect((await postWebhook(t, store, { topic: "orders/create", payload: order })).status).toBe(200);
  return session;
}

/**
 * Creates a store with at least two of everything that is listed. `mark`: lower-case letters; `visits`: at least two.
 */
export async function settleTenant(t: TestApp, mark: string, visits = 2): Promise<Tenant> {
  const store = await t.store({ plan: "enterprise" });
  await t.update(store, { limits: { capacity: 1_000_000, leak_per_second: 1_000 } });
  const platform = (topic: string, payload: unknown) => postWebhook(t, store, { topic, payload });
  const catalog = { handle: mark, image: { src: `https://${mark}.example.com/cream.jpg` } };
  const variants = [{ id: productId + 1, title: `Jar of ${mark}`, price: "19.50", position: 1 }];
  await platform("shop/update", { name: `Shop of ${mark}` });
  await platform("products/create", { id: productId, title: `Cream of ${mark}`, ...catalog, variants });
  const given = { url: `https://${mark}.example.com/hooks`, description: `Endpoint of ${mark}`, include_pii: true };
  const topics = ["quiz.started", "quiz.finished", "identity.captured", "profile.created", "quiz.published"];
  await createEndpoint(t, store, { description: mark, topics: ["export.completed"] });
  const endpoint = await createEndpoint(t, store, { ...given, topics });
  const document = markedQuiz(mark);
  await makeQuiz(t, store, { document, publish: true, name: `Second quiz of ${mark}` });
  const quiz = await makeQuiz(t, store, { document, publish: true, name: `Quiz of ${mark}` });
  const saved = await t.request("POST", `/v1/quizzes/${quiz.id}/versions`, {
    key: store.key,
    body: { label: `Version of ${mark}` },
  });
  expect(saved.status).toBe(201);
  let session = { id: "", visitor_id: "" };
  for (let number = 0; number < visits; number += 1) session = await visit(t, { store, mark, quiz }, number);
  t.calendar.advance(120_000);
  await handOverDue(t);
  const dead = { status: "dead", last_error: `error of ${mark}`, last_response: `answer of ${mark}` };
  const delivery = await putDelivery(t, store, endpoint.id, { ...dead, object: { text: mark } });
  const file = await settleExports(t, store, mark, quiz);
  const read = async (path: string) => (await t.request("GET", path, { key: store.key })).body.data[0].id;
  const { key_id } = await keyOf(t, store);
  const keys = Object.fromEntries(
    Object.entries({
      page: "you",
      component: "note",
      choice: "feel",
      option: "dry",
      dimension: "hydrate",
      formula: "left",
    }).map(([kind, name]) => [kind, `${mark}_${name}`]),
  );
  return {
    ...{ store, mark, quiz, secret: endpoint.secret, link: await linkOf(t, store, file) },
    names: {
      ...(keys as Pick<Names, "page" | "component" | "choice" | "option" | "dimension" | "formula">),
      ...{ quiz: quiz.id, version: quiz.versionId, session: session.id, visitor: session.visitor_id },
      ...{ person: await read("/v1/profiles"), event: await read("/v1/events"), export: file, key: key_id },
      ...{ endpoint: endpoint.id, delivery, store: store.id, publishable: store.publishableKey },
      ...{ product: `gid://shopify/Product/${productId}`, order: `#${mark}-0`, label: `Dry of ${mark}` },
    },
  };
}

/** A waiting export whose search contains a text, and two files; returns the id of one of the latter. */
async function settleExports(t: TestApp, store: TestStore, mark: string, quiz: TestQuiz): Promise<string> {
  const place = { page_key: `${mark}_you`, component_key: `${mark}_note` };
  const term = { quiz_id: quiz.id, kind: "text", op: "contains", ...place, value: `text of ${mark}` };
  const body = { dataset: "profiles", search: { groups: [{ all: [term] }] } };
  expect((await t.request("POST", "/v1/exports", { key: store.key, body })).status).toBe(202);
  await putExport(t, store, { dataset: "responses", text: `file of ${mark}` });
  return putExport(t, store, { dataset: "profiles", text: `other file of ${mark}` });
}

async function keyOf(t: TestApp, store: TestStore): Promise<{ key_id: string }> {
  const [row] = await t.database
    .reader()
    .forStore(store.uuid)
    .all<{ id: string }>(sql`SELECT id FROM api_keys WHERE store_id = ${ownStore}`);
  return { key_id: formatId("key", row?.id ?? "") };
}

/** The kind of name that each path parameter takes. */
export const pathKinds: Readonly<Record<string, NameKind>> = {
  quiz_id: "quiz",
  version_id: "version",
  profile_id: "person",
  export_id: "export",
  endpoint_id: "endpoint",
  delivery_id: "delivery",
  event_id: "event",
};

export const pathOf = ({ path }: Pick<Operation, "path">, names: Names): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => {
    const kind = pathKinds[parameter];
    if (kind === undefined) throw new Error(`no name is known for {${parameter}}`);
    return encodeURIComponent(names[kind]);
  });

/** Everything that a store shows: the answer to each read of the contract, and what is outside of `/v1`. */
export async function portrait(t: TestApp, { store, names, link, quiz }: Tenant): Promise<Map<string, Body>> {
  const shown = new Map<string, Body>();
  const ask = async (name: string, method: string, path: string, body?: object): Promise<Answered> => {
    const answer = await t.request(method, path, { key: store.key, body });
    if (answer.status !== 200) throw new Error(`${name}: ${answer.status} ${answer.text}`);
    shown.set(name, answer.body ?? answer.text);
    return answer;
  };
  for (const operation of storeOperations.filter(({ method }) => method === "GET")) {
    const by = operation.id.endsWith("Breakdown") ? "?by=channel" : "";
    await ask(operation.id, "GET", pathOf(operation, names) + by);
  }
  await ask("searchProfiles", "POST", "/v1/profiles/search", {});
  await ask("revealSecret", "POST", `/v1/webhooks/${names.endpoint}/reveal-secret`);
  await ask("download", "GET", link);
  await ask("storefront list", "GET", `/storefront/v1/quizzes?store=${store.publishableKey}`);
  await ask("storefront", "GET", `/storefront/v1/quizzes/${quiz.id}?store=${store.publishableKey}`);
  return shown;
}

/** Every text in a value, including names of fields. */
export function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...textsIn(inner)]);
}

const shortest = 6;

/** Texts that one store shows and the other does not: none of them may be in an answer to the other. */
export function marksOf(own: ReadonlyMap<string, Body>, others: ReadonlyMap<string, Body>): string[] {
  const known = new Set([...others.values()].flatMap(textsIn));
  const texts = new Set([...own.values()].flatMap(textsIn));
  return [...texts].filter((text) => text.length >= shortest && !known.has(text));
}
