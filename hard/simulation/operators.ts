import { allScopes } from "../../contract/scopes.ts";
import { erasePerson } from "../../server/erasure/erase.ts";
import { erasureDeps } from "../../server/main/erasure.ts";
import type { Transaction } from "../../server/platform/database/sql.ts";
import { ownStore, sql } from "../../server/platform/database/sql.ts";
import { parseId } from "../../server/platform/ids.ts";
import { importQuiz } from "../../server/quizzes/public.ts";
import { createKey, createStore, updateStore } from "../../server/stores/admin.ts";
import { call } from "./call.ts";
import { postMessage } from "./commerce.ts";
import { erasedValues, nationalNumber } from "./contacts.ts";
import { editions } from "./documents.ts";
import { type KnownQuiz, Shop } from "./ledger.ts";
import type { World } from "./world.ts";

/** Operators and merchants: shops, quizzes, plans, and people who request erasure. */

/** Runs a command without simulated faults, because a person would repeat it if the database was unavailable. */
async function command<Result>(world: World, work: (tx: Transaction) => Promise<Result>): Promise<Result> {
  world.life.trouble = null;
  return world.foundations.database.transaction(work);
}

export async function openShop(world: World, marker: string): Promise<Shop> {
  const domain = `${marker}.example.com`;
  const given = { name: `Shop ${marker}`, shopDomain: domain, plan: "plus", timezone: "UTC", currency: "USD" };
  const made = await command(world, async (tx) => {
    const store = await createStore(tx, world.foundations, given);
    const uuid = parseId("store", store.store_id) ?? "";
    // a bucket that never fills up, and no pauses: limits are tested elsewhere
    await updateStore(tx, uuid, { limits: { capacity: 1_000_000, export_page_pause_ms: 0 } });
    const { key } = await createKey(tx, world.foundations, uuid, { scopes: allScopes });
    return { ...store, uuid, key };
  });
  const { store_id: id, publishable_key: publishableKey, commerce_secret: commerceSecret, uuid, key } = made;
  const shop = new Shop(marker, { id, uuid, publishableKey, commerceSecret, key, domain });
  for (const kind of editions.keys()) await publishEdition(world, shop, kind, null);
  return shop;
}

/** Publishes a new quiz, or the next edition of one. */
async function publishEdition(world: World, shop: Shop, kind: number, quiz: KnownQuiz | null): Promise<void> {
  const all = editions[kind] ?? [];
  const edition = all[(quiz?.versions.length ?? 0) % all.length];
  if (!edition) return;
  const name = quiz?.name ?? `Quiz ${shop.quizzes.length + 1} of ${shop.marker}`;
  const document = edition.document;
  const replaced = quiz === null ? {} : { quizId: quiz.id };
  const made = await command(world, (tx) =>
    importQuiz(tx, world.foundations, shop.store.uuid, { document, name, publish: true, ...replaced }),
  );
  const version = { id: made.version_id ?? "", edition, publishedAt: world.time.now(), warm: false };
  if (quiz) quiz.versions.push(version);
  else shop.quizzes.push({ id: made.quiz_id, name, kind, versions: [version], archived: false, deleted: false });
}

/** Edits, archives or deletes a quiz. */
export async function editQuiz(world: World, shop: Shop): Promise<void> {
  const { steps } = world.draws;
  if (shop.live.length === 0) return publishEdition(world, shop, 0, null);
  const quiz = steps.pick(shop.live);
  const path = `/v1/quizzes/${quiz.id}`;
  switch (steps.pick(["publish", "publish", "archive", "unarchive", "again", "new", "delete"])) {
    case "publish":
      return quiz.versions.length < 4 ? publishEdition(world, shop, quiz.kind, quiz) : undefined;
    case "again": {
      const live = quiz.versions.at(-1)?.id;
      return void (await call(world, shop, "POST", `${path}/versions/${live}/publish`));
    }
    case "new":
      return shop.quizzes.length < 4 ? publishEdition(world, shop, steps.int(0, 1), null) : undefined;
    case "delete": {
      if (shop.live.length < 2 || steps.chance(0.5)) return;
      // a request whose answer was lost is repeated, and then there is nothing to delete
      const answer = await call(world, shop, "DELETE", path);
      if (answer) quiz.deleted = true;
      return;
    }
    case "archive":
      return void (await call(world, shop, "POST", `${path}/archive`));
    default:
      return void (await call(world, shop, "POST", `${path}/unarchive`));
  }
}

/** Pauses the plan or resumes it; resolves after a store's cache time of a minute. */
export async function changePlan(world: World, shop: Shop, plan: Shop["plan"]): Promise<void> {
  if (shop.plan === plan) return;
  await command(world, (tx) => updateStore(tx, shop.store.uuid, { plan }));
  shop.plan = plan;
  await world.pass(61_000);
}

/** Erases somebody, by the dashboard or by the platform. */
export async function erase(world: World, shop: Shop): Promise<void> {
  const { steps } = world.draws;
  const rows = await world.read(
    shop.store.uuid,
    sql<{ id: string; contacts: string[] }>`SELECT p.id, array_agg(i.kind || ':' || i.value
      ORDER BY i.kind, i.value) AS contacts
     FROM profiles p JOIN identities i ON i.store_id = ${ownStore} AND i.profile_id = p.id
     WHERE p.store_id = ${ownStore} AND p.removed_at IS NULL GROUP BY p.id, p.number ORDER BY p.number`,
  );
  if (rows.length === 0) return;
  const person = steps.pick(rows);
  const email = person.contacts.find((contact) => contact.startsWith("email:"))?.slice("email:".length);
  let gone = person.contacts;
  if (email !== undefined && steps.chance(0.5)) {
    await redact(world, shop, email);
    // if the person has other contacts, these stay
    gone = [`email:${email}`];
  } else {
    const deps = erasureDeps(world.foundations);
    await command(world, (tx) => erasePerson(tx.forStore(shop.store.uuid), deps, person.id, { by: "simulation" }));
  }
  shop.everErased = true;
  for (const contact of gone) shop.erased.add(contact);
  shop.erasedAt = world.time.elapsed();
  for (const session of shop.sessions) forgetUnsent(session, shop);
}

async function redact(world: World, shop: Shop, email: string): Promise<void> {
  world.life.trouble = null;
  const payload = { shop_domain: shop.store.domain, customer: { email, phone: null }, orders_to_redact: [] };
  const webhookId = `${shop.marker}-redact-${++shop.messages}`;
  const answer = await postMessage(world, shop, { topic: "customers/redact", payload, webhookId });
  if (answer.status !== 200) world.fail(`customers/redact was answered ${answer.status}`);
}

/** Events created but not sent yet would rightly bring the contact back, so they are dropped. */
function forgetUnsent(session: Shop["sessions"][number], shop: Shop): void {
  const values = erasedValues(shop).map((value) => (value.includes("@") ? value : nationalNumber(value)));
  const names = (text: string) => values.some((value) => normal(text).includes(normal(value)));
  session.held = session.held.filter(({ event }) => !names(JSON.stringify(event)));
  if (session.last.some(({ event }) => !session.kept.has(event.id))) session.last = [];
}

const normal = (text: string): string => text.toLowerCase().replaceAll(/[\s()-]/g, "");
