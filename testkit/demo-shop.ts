import { allScopes } from "../contract/scopes.ts";
import { demoShop } from "../demo/catalog.ts";
import { movedToStorefront } from "../demo/storefront/addresses.ts";
import type { ApiFoundations } from "../server/main/compose.ts";
import { putDemoContent } from "../server/main/demo/put-content.ts";
import type { DemoFront, DemoSource } from "../server/main/demo/storefront/front.ts";
import { parseId } from "../server/platform/ids.ts";
import { createKey, createStore } from "../server/stores/admin.ts";
import { openTestApp, type TestApp, type TestStore } from "./app.ts";

/** The demo shop in a test's app, with catalog and quizzes but without a history. */
export interface TestDemo {
  t: TestApp;
  store: TestStore;
  front: DemoFront;
  /** ids of the live versions, by quiz */
  versions: ReadonlyMap<string, string>;
  /** removes the demo shop from its storefront, or puts it back */
  offer(offered: boolean): void;
}

const dayMs = 24 * 60 * 60 * 1000;

export async function openTestDemo(overrides: Partial<ApiFoundations> = {}): Promise<TestDemo> {
  const source: { -readonly [Key in keyof DemoSource]: DemoSource[Key] } = { front: null };
  const t = await openTestApp({ demo: source, movedAddresses: movedToStorefront("http://api.test"), ...overrides });
  const { database, foundations, calendar } = t;
  const { name, shop_domain: shopDomain, timezone, currency } = demoShop;
  const { store, planned } = await database.transaction(async (tx) => {
    const made = await createStore(tx, foundations, { name, shopDomain, plan: "plus", timezone, currency });
    const uuid = parseId("store", made.store_id) ?? "";
    const key = await createKey(tx, foundations, uuid, { name: "demo", scopes: allScopes, admin: "demo" });
    const history = { from: calendar.now() - 30 * dayMs, to: calendar.now() };
    const content = await putDemoContent(tx, foundations, uuid, history);
    const { store_id: id, publishable_key: publishableKey, commerce_secret: commerceSecret } = made;
    return { store: { id, uuid, publishableKey, commerceSecret, key: key.key }, planned: content };
  });
  const [routine = "", gift = "", consultation = ""] = planned.map(({ quiz_id }) => quiz_id);
  const front = { storeId: store.uuid, quizzes: { publishableKey: store.publishableKey, routine, gift, consultation } };
  const versions = new Map(planned.map((quiz) => [quiz.quiz_id, quiz.versions.at(-1)?.version_id ?? ""]));
  const offer = (offered: boolean) => {
    source.front = offered ? front : null;
  };
  offer(true);
  return { t, store, front, versions, offer };
}
