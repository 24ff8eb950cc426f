import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { shortQuiz } from "../journeys/documents.ts";
import type { Client, ListOf } from "../journeys/http.ts";
import { Visit } from "../journeys/visit.ts";
import { erasePersonNamed } from "../server/erasure/command-work.ts";
import { erasureDeps } from "../server/main/erasure.ts";
import { ownStore, sql } from "../server/platform/database/sql.ts";
import { parseId, uuidAt } from "../server/platform/ids.ts";
import { importQuiz } from "../server/quizzes/public.ts";
import type { OwnApi } from "../testkit/own-api.ts";
import { clientOf, type HardShop, liveOf } from "./shops.ts";

/** A store whose row is locked for too long answers 503: repeats the request, as the answer says. */
async function patiently<T>(work: () => Promise<T>, tries = 10): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (tries === 0) throw error;
    await pause(200);
    return patiently(work, tries - 1);
  }
}

/** Changes in a store during walks through its lists: rows are added, changed and deleted. */

async function wanted<T>(answer: Promise<{ status: number; text: string; body: T }>): Promise<T> {
  const { status, text, body } = await answer;
  if (status >= 300) throw new Error(`${status} ${text}`);
  return body;
}

export class WalkedStore {
  readonly api: Client;
  readonly shop: HardShop;
  /** ids and emails of rows that may move or be deleted at any time */
  readonly unsteady = new Set<string>();
  /** by email: when a person's creation began, elapsed ms */
  readonly people = new Map<string, number>();
  /** the endpoint whose deliveries are listed */
  endpointId = "";
  changes = 0;
  /** number of changes that were refused temporarily */
  refused = 0;
  readonly #hard: OwnApi;
  /** rows for later changes: quizzes and endpoints to delete, quizzes to archive, people to erase */
  readonly #doomed = {
    quizzes: [] as string[],
    endpoints: [] as string[],
    archived: [] as string[],
    mails: [] as string[],
  };

  private constructor(hard: OwnApi, shop: HardShop) {
    this.#hard = hard;
    this.shop = shop;
    this.api = clientOf(shop, hard.url);
  }

  /** With `count` rows in every list that do not change, and some that will. */
  static async open(hard: OwnApi, shop: HardShop, count: number): Promise<WalkedStore> {
    const store = new WalkedStore(hard, shop);
    store.endpointId = await patiently(() => store.#subscribe());
    for (let n = 0; n < count; n += 1) {
      const rows: (() => Promise<unknown>)[] = [
        () => store.#addQuiz(),
        () => store.#addVersion(),
        () => store.#addPerson(),
        () => store.#ping(),
        () => store.#addExport(),
        ...(n % 3 === 0 ? [() => store.#subscribe()] : []),
        ...(n % 4 === 0 ? [() => store.#addDoomed()] : []),
      ];
      for (const row of rows) await patiently(row);
    }
    return store;
  }

  /** One random change. */
  async change(random: () => number): Promise<void> {
    const pick = (from: readonly string[]) => from[Math.floor(random() * from.length)];
    const { quizzes, endpoints, archived, mails } = this.#doomed;
    const changes: (() => Promise<unknown>)[] = [
      () => this.#addQuiz(),
      () => this.#addVersion(),
      () => this.#addPerson(),
      () => this.#subscribe(),
      () => this.#ping(),
      () => this.#addExport(),
      () => this.#addDoomed(),
      () => this.#eraseOne(),
      async () => quizzes.length > 0 && this.api.delete(`/v1/quizzes/${quizzes.shift()}`),
      async () => endpoints.length > 0 && this.api.delete(`/v1/webhooks/${endpoints.shift()}`),
      // somebody returns: last seen now, and so at the top of the list
      () => this.#addPerson(pick(mails)),
      // somebody was offline: a new person, last seen a while ago
      () => this.#addPerson(undefined, 600_000 * random()),
      async () => {
        const quiz = pick(archived);
        if (quiz) await this.api.post(`/v1/quizzes/${quiz}/${random() < 0.5 ? "archive" : "unarchive"}`);
      },
      () => this.api.ask("PATCH", `/v1/webhooks/${this.endpointId}`, { description: String(random()) }),
    ];
    try {
      await changes[Math.floor(random() * changes.length)]?.();
      this.changes += 1;
    } catch {
      this.refused += 1;
    }
  }

  async #subscribe(): Promise<string> {
    const body = { url: `https://192.88.98.1/${randomUUID()}`, topics: ["quiz.started"] };
    return (await wanted(this.api.post<{ id: string }>("/v1/webhooks", body))).id;
  }

  async #addQuiz(): Promise<string> {
    const { opened } = this.#hard;
    const given = { document: shortQuiz, name: randomUUID(), publish: false };
    const write = opened.database.transaction((tx) => importQuiz(tx, opened, this.shop.uuid, given));
    return (await write).quiz_id;
  }

  #addVersion(): Promise<unknown> {
    return wanted(this.api.post(`/v1/quizzes/${this.shop.quizId}/versions`, { label: randomUUID() }));
  }

  #ping(): Promise<unknown> {
    return wanted(this.api.post(`/v1/webhooks/${this.endpointId}/ping`));
  }

  async #addPerson(mail = `${randomBytes(8).toString("hex")}@example.com`, ago = 0): Promise<string> {
    if (!this.people.has(mail)) this.people.set(mail, performance.now());
    const visit = new Visit(liveOf(this.shop, this.#hard.url), { from: Date.now() - ago, step: 1 });
    await wanted(visit.send(visit.chose("first", "pick", "one"), visit.wrote("contact", "mail", mail, true)));
    return mail;
  }

  /** Directly in the database, because through the API each would wait until the previous one is built. */
  async #addExport(): Promise<void> {
    const { database, calendar, random } = this.#hard.opened;
    const at = new Date(calendar.now());
    const filters = '{"from":null,"to":null,"quiz_id":null,"search":null,"tz":null}';
    await database
      .reader()
      .forStore(this.shop.uuid)
      .all(sql`INSERT INTO exports (store_id, id, dataset, format, status, source, filters, requested_at, expires_at, claims)
            VALUES (${ownStore}, ${uuidAt(at.getTime(), random)}, 'profiles', 'csv', 'expired', 'api', ${filters}, ${at}, ${at}, 1)`);
  }

  async #addDoomed(): Promise<void> {
    const { quizzes, endpoints, archived, mails } = this.#doomed;
    const made = [
      [quizzes, await this.#addQuiz()],
      [archived, await this.#addQuiz()],
      [endpoints, await this.#subscribe()],
      [mails, await this.#addPerson()],
    ] as const;
    for (const [list, name] of made) {
      this.unsteady.add(name);
      list.push(name);
    }
  }

  async #eraseOne(): Promise<void> {
    const mail = this.#doomed.mails.shift();
    if (mail === undefined) return;
    const [found] = (await wanted(this.api.get<ListOf<{ id: string }>>(`/v1/profiles?q=${mail}`))).data;
    const uuid = parseId("prof", found?.id ?? "");
    const { opened } = this.#hard;
    if (uuid !== null) await erasePersonNamed({ ...opened, erasure: erasureDeps(opened) }, this.shop.uuid, uuid);
  }
}
