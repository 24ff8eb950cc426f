import type { Caller, SignedIn, Store } from "../platform/caller.ts";
import type { Database } from "../platform/database/database.ts";
import type { Deadline, ElapsedClock } from "../platform/deadline.ts";
import { parseId } from "../platform/ids.ts";
import { invalid, notFound } from "../platform/problems.ts";
import { ReadCache } from "../platform/read-cache.ts";
import { callerOf, lacksSupport } from "./member-caller.ts";
import { connectedStore } from "./public.ts";

/** When the operator's visit to this store as support ends; null: there is none [dashboard-api.support]. */
export type SupportUntil = (person: SignedIn, storeId: string, deadline: Deadline) => Promise<Date | null>;

interface MemberGateDeps {
  database: Pick<Database, "reader">;
  elapsed: ElapsedClock;
  supportUntil: SupportUntil;
}

/**
 * Authorizes a signed-in person in the store that a request names [dashboard-api.store-header]. Stores are cached for
 * as long as those behind keys.
 */
export class MemberGate {
  readonly #deps: MemberGateDeps;
  readonly #stores: ReadCache<{ store: Store | null }>;

  constructor(deps: MemberGateDeps) {
    this.#deps = deps;
    this.#stores = new ReadCache({ elapsed: deps.elapsed, rememberedMs: 5_000, atMost: 10_000 });
  }

  /**
   * A store that the person does not belong to is reported as not found, like one that does not exist; operators, who
   * may know of every store, get an error that asks them to use support access.
   */
  async member(person: SignedIn, named: string | undefined, deadline: Deadline): Promise<Caller> {
    const storeId = named === undefined ? onlyStore(person) : parseId("store", named);
    if (storeId === null) throw notFound();
    const role = person.roles.get(storeId);
    if (role === undefined && !person.operator) throw notFound();
    const { store } = await this.#stores.find(storeId, deadline, async (shared) => ({
      store: (await connectedStore(this.#deps.database.reader(shared), storeId)) ?? null,
    }));
    if (store === null) throw notFound();
    if (role !== undefined) return callerOf(person, store, { role });
    const supportUntil = await this.#deps.supportUntil(person, storeId, deadline);
    if (supportUntil === null) throw lacksSupport();
    return callerOf(person, store, { role: "owner", supportUntil });
  }

  /** Empties the cache, so that the next request sees a change made in this process at once. */
  invalidate(): void {
    this.#stores.invalidate();
  }
}

/** People who belong to a single store need not name it. */
function onlyStore({ roles }: SignedIn): string {
  const [first, second] = [...roles.keys()];
  if (first === undefined || second !== undefined)
    throw invalid("header.Quizstore-Store", "is required: the id of the store, store_ and 32 hexadecimal characters");
  return first;
}
