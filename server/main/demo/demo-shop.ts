import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { allScopes } from "../../../contract/scopes.ts";
import { demoShop } from "../../../demo/catalog.ts";
import type { PlannedQuiz } from "../../../demo/shoppers.ts";
import { movedToStorefront } from "../../../demo/storefront/addresses.ts";
import { root as storefrontRoot } from "../../../demo/storefront/layout.ts";
import { ensureOwner, startLink } from "../../accounts/public.ts";
import type { Store } from "../../platform/caller.ts";
import { Progress } from "../../platform/command-line/print.ts";
import { parseId } from "../../platform/ids.ts";
import type { Intake } from "../../storefront/intake.ts";
import { createKey, createStore, listStores } from "../../stores/admin.ts";
import { findStore } from "../../stores/public.ts";
import type { Served } from "../compose.ts";
import type { Opened } from "../foundations.ts";
import { putDemoContent } from "./put-content.ts";
import { runOrders } from "./run-orders.ts";
import { runShoppers } from "./run-shoppers.ts";
import type { DemoFront, DemoSource } from "./storefront/front.ts";

/**
 * The demo shop of `quizstore start`. Its key is stored in the data directory, so that every start can print it. So is
 * the progress of its history, so that after an interrupted start the next one continues where events are missing.
 */
interface DemoState {
  storeId: string;
  publishableKey: string;
  key: string;
  quizzes: PlannedQuiz[];
  from: number;
  to: number;
  filled: boolean;
}

const days = 30;
const sessions = 3_000;
const seed = "lumen-fern";
/** a reserved domain, so that no letter reaches a stranger */
const owner = { email: "owner@lumen-fern.example", name: "Demo owner" };
const dayMs = 24 * 60 * 60 * 1000;

export class DemoShop implements DemoSource {
  readonly #opened: Opened;
  readonly #file: string;
  #state: DemoState | null = null;
  #stopped = false;
  #signInUrl: string | null = null;

  constructor(opened: Opened) {
    this.#opened = opened;
    this.#file = join(opened.config.dataDir, "demo.json");
  }

  /** Finds the demo shop, or creates it: on request, or if the database is embedded and new. */
  async prepare(requested: boolean | undefined): Promise<boolean> {
    if (requested === false) return false;
    const { database, config } = this.#opened;
    const reader = database.reader();
    const known = await this.#read();
    if (known && (await findStore(reader, known.storeId))) {
      this.#state = known;
      await this.#makeLink();
      return true;
    }
    const untouched = config.databaseUrl === null && (await listStores(reader)).length === 0;
    if (!requested && !untouched) return false;
    this.#state = await this.#make();
    await this.#write();
    await this.#makeLink();
    return true;
  }

  /** What the API serves for it, once it exists. */
  get storefront(): Pick<Served, "demo" | "movedAddresses"> {
    return { demo: this, movedAddresses: movedToStorefront(this.#opened.config.baseUrl) };
  }

  /** The storefront's address and content; null: it is not available [demo.announced]. */
  get front(): DemoFront | null {
    if (!this.#state) return null;
    const { storeId, publishableKey, quizzes } = this.#state;
    const [routine, gift, consultation] = quizzes.map(({ quiz_id }) => quiz_id);
    const uuid = parseId("store", storeId);
    if (uuid === null || !routine || !gift || !consultation) return null;
    return { storeId: uuid, quizzes: { publishableKey, routine, gift, consultation } };
  }

  /** Access for programs; null: it is not available. */
  get access() {
    if (!this.#state) return null;
    const { storeId, publishableKey, key, quizzes } = this.#state;
    const ids = quizzes.map(({ quiz_id }) => quiz_id);
    return {
      storefront_url: `${this.#opened.config.baseUrl}${storefrontRoot}`,
      sign_in_url: this.#signInUrl,
      shop_domain: demoShop.shop_domain,
      store_id: storeId,
      key,
      publishable_key: publishableKey,
      quiz_ids: ids,
    };
  }

  /** Text for a newcomer: the key, and a command that gets an answer. */
  welcome(): string {
    if (!this.#state) return "";
    const { key, publishableKey, quizzes } = this.#state;
    const { baseUrl } = this.#opened.config;
    const quiz = quizzes[0]?.quiz_id ?? "";
    return [
      "",
      `Demo shop ${demoShop.name} (${demoShop.shop_domain})`,
      `  API key          ${key}`,
      `  publishable key  ${publishableKey}`,
      "",
      "Try it:",
      `  curl -s -H "Authorization: Bearer ${key}" ${baseUrl}/v1/store`,
      `  curl -s -H "Authorization: Bearer ${key}" "${baseUrl}/v1/quizzes?limit=3"`,
      `  curl -s "${baseUrl}/storefront/v1/quizzes/${quiz}?store=${publishableKey}"`,
      "",
      "",
    ].join("\n");
  }

  /** Sends the events of past shoppers while the server runs; resolves at once if they were sent before. */
  async fill(intake: Intake): Promise<void> {
    const state = this.#state;
    if (!state || state.filled) return;
    const { log } = this.#opened;
    try {
      const store = await this.#store(state);
      const bar = new Progress(`demo shoppers of ${days} days`, sessions);
      const plan = { seed, quizzes: state.quizzes, from: state.from, to: state.to, sessions };
      const stopped = () => this.#stopped;
      const totals = await runShoppers(intake, {
        store,
        publishableKey: state.publishableKey,
        plan,
        progress: (sent) => bar.update(sent),
        stopped,
      });
      const orders = await runOrders(this.#opened, { store, plan, stopped });
      if (this.#stopped) return;
      bar.update(sessions);
      state.filled = true;
      await this.#write();
      log.info({ ...totals, orders }, "the demo shop is filled");
    } catch (error) {
      if (!this.#stopped)
        log.error({ err: error }, "filling the demo shop was interrupted; the next start continues it");
    }
  }

  stop(): void {
    this.#stopped = true;
  }

  async #make(): Promise<DemoState> {
    const { database, calendar } = this.#opened;
    const to = calendar.now();
    const from = to - days * dayMs;
    return database.transaction(async (tx) => {
      const { name, shop_domain: shopDomain, timezone, currency } = demoShop;
      const made = await createStore(tx, this.#opened, { name, shopDomain, plan: "plus", timezone, currency });
      const store = await findStore(tx, made.store_id);
      if (!store) throw new Error("the demo shop could not be created");
      const key = await createKey(tx, this.#opened, store.id, { name: "demo", scopes: allScopes, admin: "demo" });
      const quizzes = await putDemoContent(tx, this.#opened, store.id, { from, to });
      const { store_id: storeId, publishable_key: publishableKey } = made;
      return { storeId, publishableKey, key: key.key, quizzes, from, to, filled: false };
    });
  }

  /**
   * Creates a sign-in link for its owner, who is created here for a demo shop of an earlier release; each start prints
   * another link.
   */
  async #makeLink(): Promise<void> {
    const { database, config } = this.#opened;
    const uuid = parseId("store", this.#state?.storeId ?? "");
    if (uuid === null) return;
    const deps = { ...this.#opened, baseUrl: config.baseUrl };
    this.#signInUrl = await database.transaction(async (tx) => {
      await ensureOwner(tx, deps, { ...owner, storeId: uuid });
      return startLink(tx, deps, owner.email);
    });
  }

  async #store(state: DemoState): Promise<Store> {
    const store = await findStore(this.#opened.database.reader(), state.storeId);
    if (!store) throw new Error("the demo shop is gone");
    return store;
  }

  async #read(): Promise<DemoState | null> {
    try {
      return JSON.parse(await readFile(this.#file, "utf8")) as DemoState;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw error;
    }
  }

  /** Writes a temporary file and renames it: a kill leaves either the old file or the new one. */
  async #write(): Promise<void> {
    const draft = `${this.#file}.new`;
    await writeFile(draft, JSON.stringify(this.#state), { mode: 0o600 });
    await rename(draft, this.#file);
  }
}
