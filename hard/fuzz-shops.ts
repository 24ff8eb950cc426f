import { randomBytes } from "node:crypto";
import type { Live } from "../journeys/visit.ts";
import { runDemo } from "../server/main/data-work.ts";
import { type Opened, openFoundations, settingsOf } from "../server/main/foundations.ts";
import type { Transaction } from "../server/platform/database/sql.ts";
import { importQuiz } from "../server/quizzes/public.ts";
import { createKey, createStore, revokeKey, updateStore } from "../server/stores/admin.ts";
import { findStore } from "../server/stores/public.ts";

/** Shops made as the command line makes them, without a process for each: that takes a second, and here are dozens. */

export interface MadeShop {
  store_id: string;
  publishable_key: string;
  commerce_secret: string;
  domain: string;
  uuid: string;
}

export class Operator {
  readonly #opened: Opened;

  constructor(opened: Opened) {
    this.#opened = opened;
  }

  /** Joins the database of a program that runs in the data directory. */
  static async open(data: string): Promise<Operator> {
    const config = settingsOf({ DATA_DIR: data, DATABASE_URL: undefined, LOG_LEVEL: "error" });
    return new Operator(await openFoundations({ ...config, databaseUrl: null }, { role: "command", connections: 4 }));
  }

  async shop(plan: string, given: { name?: string; limits?: object } = {}): Promise<MadeShop> {
    const domain = `shop-${randomBytes(5).toString("hex")}.myshopify.com`;
    const facts = { name: given.name ?? "Shop", shopDomain: domain, plan, timezone: "UTC", currency: "EUR" };
    return this.#transaction(async (tx) => {
      const made = await createStore(tx, this.#opened, facts);
      const store = await findStore(tx, made.store_id);
      if (!store) throw new Error("the shop was not made");
      if (given.limits) await updateStore(tx, store.id, { limits: given.limits });
      return { ...made, domain, uuid: store.id };
    });
  }

  async key(shop: MadeShop, scopes: readonly string[], expires?: string): Promise<string> {
    const made = await this.#transaction((tx) => createKey(tx, this.#opened, shop.uuid, { scopes, expires }));
    return made.key;
  }

  /** A key that is revoked already. */
  revokedKey(shop: MadeShop, scopes: readonly string[]): Promise<string> {
    return this.#transaction(async (tx) => {
      const made = await createKey(tx, this.#opened, shop.uuid, { scopes });
      await revokeKey(tx, this.#opened, made.key_id);
      return made.key;
    });
  }

  /** Published. */
  async quiz(url: string, shop: MadeShop, document: unknown, name: string): Promise<Live> {
    const made = await this.#transaction((tx) =>
      importQuiz(tx, this.#opened, shop.uuid, { document, name, publish: true }),
    );
    if (made.version_id === null) throw new Error("published without a version");
    return { url, store: shop.publishable_key, quiz_id: made.quiz_id, version_id: made.version_id };
  }

  /** The demo's quizzes and a month of its shoppers. */
  async demo(shop: MadeShop, sessions: number): Promise<void> {
    await runDemo(this.#opened, { store: shop.store_id, days: "30", sessions: String(sessions), seed: "1" });
  }

  close(): Promise<void> {
    return this.#opened.close();
  }

  #transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#opened.database.transaction(work);
  }
}
