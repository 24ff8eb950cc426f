import { type Command, Option } from "commander";
import { plans } from "../../contract/limits.ts";
import {
  type CommandDeps,
  type CommandRunner,
  type CommonOptions,
  withCommonOptions,
} from "../platform/command-line/commands.ts";
import type { Transaction } from "../platform/database/sql.ts";
import { UsageError } from "../platform/operator-error.ts";
import {
  createKey,
  createStore,
  listKeys,
  listStores,
  reconnectStore,
  revokeKey,
  setCommerceSecret,
  updateStore,
} from "./admin.ts";
import { mainStoreNamed } from "./public.ts";

interface StoreOptions extends CommonOptions {
  name: string;
  shopDomain: string;
  plan: string;
  timezone: string;
  currency: string;
  commerceSecret?: string;
}

interface StoreUpdate {
  plan?: string;
  limits?: string;
  timezone?: string;
  sellsWithoutOnlineStore?: "yes" | "no";
  commerceSecret?: string;
}

interface KeyOptions extends CommonOptions {
  store: string;
  name?: string;
  scopes?: string;
  expires?: string;
  admin?: string;
  test?: boolean;
}

const secretOption = () =>
  new Option("--commerce-secret <secret>", "what the commerce platform signs its messages with (default: made here)");
const planOption = () => new Option("--plan <plan>", "other is a paused plan: no API access").choices(plans);

/** Disconnects a store, including what other slices store for it. */
export type Disconnect = (tx: Transaction, deps: CommandDeps, storeId: string) => Promise<object>;

export function addStoreCommands(program: Command, runner: CommandRunner, disconnect: Disconnect): void {
  const { run, runInTransaction } = runner;
  const store = program.command("store").description("stores: create, change, list, disconnect, reconnect");
  withCommonOptions(store.command("create"))
    .description("create a store; its commerce secret is shown once")
    .requiredOption("--name <name>")
    .requiredOption("--shop-domain <domain>", "such as my-shop.myshopify.com")
    .addOption(planOption().makeOptionMandatory())
    .requiredOption("--timezone <zone>", "IANA name such as Europe/Berlin")
    .requiredOption("--currency <code>", "ISO 4217 code such as EUR")
    .addOption(secretOption())
    .action((options: StoreOptions) => runInTransaction(options, (tx, opened) => createStore(tx, opened, options)));
  withCommonOptions(store.command("update").argument("<store>", "id or shop domain"))
    .description("change a store's plan, its limits, its timezone, where it sells or its commerce secret")
    .addOption(planOption())
    .option("--limits <json>", 'overrides of the plan\'s limits, such as {"capacity":100}; {} removes them')
    .option("--timezone <zone>", "IANA name such as Europe/Berlin")
    .addOption(
      new Option(
        "--sells-without-online-store <answer>",
        "whether products count as in the shop that its online store does not show",
      ).choices(["yes", "no"]),
    )
    .addOption(secretOption())
    .action((name: string, options: CommonOptions & StoreUpdate) =>
      runInTransaction(options, async (tx, opened) => {
        const { id } = await mainStoreNamed(tx, name);
        const { plan, limits, timezone, commerceSecret, sellsWithoutOnlineStore: answer } = options;
        const changed = commerceSecret === undefined ? null : await setCommerceSecret(tx, opened, id, commerceSecret);
        if (changed && [plan, limits, timezone, answer].every((given) => given === undefined)) return changed;
        return updateStore(tx, id, {
          ...(answer === undefined ? {} : { sellsWithoutOnlineStore: answer === "yes" }),
          ...(plan === undefined ? {} : { plan }),
          ...(limits === undefined ? {} : { limits: parseJson(limits) }),
          ...(timezone === undefined ? {} : { timezone }),
        });
      }),
    );
  withCommonOptions(store.command("list"))
    .description("list the stores")
    .action((options: CommonOptions) => run(options, ({ database }) => listStores(database.reader())));
  withCommonOptions(store.command("disconnect").argument("<store>", "id or shop domain"))
    .description("disconnect a store: every key is revoked, every webhook endpoint deleted")
    .action((name: string, options: CommonOptions) =>
      runInTransaction(options, async (tx, opened) => disconnect(tx, opened, (await mainStoreNamed(tx, name)).id)),
    );
  withCommonOptions(store.command("reconnect").argument("<store>", "id or shop domain"))
    .description("connect a disconnected store again; its keys stay revoked, its endpoints deleted")
    .action((name: string, options: CommonOptions) =>
      runInTransaction(options, async (tx) => reconnectStore(tx, (await mainStoreNamed(tx, name)).id)),
    );
  addKeyCommands(program, runner);
}

function addKeyCommands(program: Command, { run, runInTransaction }: CommandRunner): void {
  const key = program.command("key").description("API keys: create, list, revoke");
  withCommonOptions(key.command("create"))
    .description("create an API key; its text is shown once")
    .requiredOption("--store <store>", "id or shop domain")
    .option("--name <name>")
    .option("--scopes <list>", "with commas between (default: quizzes:read,analytics:read)")
    .option("--expires <date>", "a day, which ends with it in UTC, or an RFC 3339 time")
    .option("--admin <email>", "whose account the key acts under")
    .option("--test", "a key to the store's test twin, which is made with its first key")
    .action((options: KeyOptions) =>
      runInTransaction(options, async (tx, opened) => {
        const { id } = await mainStoreNamed(tx, options.store);
        const scopes = options.scopes
          ?.split(",")
          .map((scope) => scope.trim())
          .filter((scope) => scope !== "");
        return createKey(tx, opened, id, { ...options, scopes });
      }),
    );
  withCommonOptions(key.command("list"))
    .description("list a store's keys, with head and last four characters")
    .requiredOption("--store <store>", "id or shop domain")
    .action((options: CommonOptions & { store: string }) =>
      run(options, async ({ database }) => {
        const db = database.reader();
        return listKeys(db, (await mainStoreNamed(db, options.store)).id);
      }),
    );
  withCommonOptions(key.command("revoke").argument("<key_id>"))
    .description("revoke a key; requests with it are refused within seconds")
    .action((keyId: string, options: CommonOptions) =>
      runInTransaction(options, (tx, opened) => revokeKey(tx, opened, keyId)),
    );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError("--limits must be JSON");
  }
}
