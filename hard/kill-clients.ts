import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { type Answer, type Asked, request } from "../journeys/http.ts";
import { type StorefrontEvent, type Taken, Visit } from "../journeys/visit.ts";
import { type HardShop, liveOf } from "./shops.ts";

/** Clients that write all the time, and a ledger of their answers. */

/** One write. `status` null: no answer came, so it is unknown whether it was done. */
export interface Written {
  /** the Idempotency-Key */
  key: string;
  path: string;
  body: Record<string, unknown>;
  status: number | null;
  /** id of what was created, if it was answered */
  id: string | null;
  /** an endpoint's */
  secret: string | null;
}

export interface Posted {
  visit: Visit;
  events: StorefrontEvent[];
  status: number | null;
}

export interface Ledger {
  sessions: Posted[];
  versions: Written[];
  publishes: Written[];
  endpoints: Written[];
  exports: Written[];
  /** how often each status was answered; `none`: no answer */
  statuses: Map<string, number>;
  /** answers that contradict the API's promises */
  odd: string[];
}

export interface ClientDeps {
  /** for shoppers, versions and exports */
  shop: HardShop;
  /** for endpoints, so that no other work waits because of their number */
  second: HardShop;
  /** APIs with the same database */
  urls: readonly string[];
  random: () => number;
}

const shoppers = 3;
const pauses = { shopper: 150, version: 250, endpoint: 1_300, exports: 1_500 };

export class KillClients {
  readonly ledger: Ledger = {
    ...{ sessions: [], versions: [], publishes: [], endpoints: [], exports: [] },
    ...{ statuses: new Map(), odd: [] },
  };
  readonly #deps: ClientDeps;
  readonly #loops: Promise<void>[];
  #going = true;
  #turn = 0;

  constructor(deps: ClientDeps) {
    this.#deps = deps;
    this.#loops = [
      ...Array.from({ length: shoppers }, () => this.#again(pauses.shopper, () => this.shop(this.#url()))),
      this.#again(pauses.version, () => this.#saveVersion()),
      this.#again(pauses.endpoint, () => this.#createEndpoint()),
      this.#again(pauses.exports, () => this.#requestExport()),
    ];
  }

  /** Resolves when all answers have arrived. */
  async stop(): Promise<void> {
    this.#going = false;
    await Promise.all(this.#loops);
  }

  /** A whole session in one batch; returns whether it was acknowledged. */
  async shop(url: string): Promise<boolean> {
    const visit = new Visit(liveOf(this.#deps.shop, url), { from: Date.now(), step: 1 });
    const mail = `${randomBytes(8).toString("hex")}@example.com`;
    const answered = [visit.opened(), visit.chose("first", "pick", "one"), visit.wrote("contact", "mail", mail, true)];
    const events = [...answered, visit.entered("result"), visit.finished("result")];
    const posted: Posted = { visit, events, status: null };
    this.ledger.sessions.push(posted);
    posted.status = (await this.#send(posted))?.status ?? null;
    // browsers without an answer send the same again
    if (posted.status !== 202 && this.#deps.random() < 0.3) {
      await pause(50);
      posted.status = (await this.#send(posted))?.status ?? null;
    }
    return posted.status === 202;
  }

  /** Sends a session's batch again, to any of the APIs. */
  async repeat(posted: Posted): Promise<Answer<Taken> | null> {
    posted.visit.live.url = this.#url();
    return this.#send(posted);
  }

  /** Repeats a write, with its key. */
  ask(shop: HardShop, { key, path, body }: Written): Promise<Answer<Record<string, unknown>> | null> {
    return this.#request(`${this.#url()}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${shop.key}`, "idempotency-key": key },
      body,
    });
  }

  async #send({ visit, events }: Posted): Promise<Answer<Taken> | null> {
    const asked = { method: "POST", body: visit.batch(events) };
    const answer = await this.#request<Taken>(`${visit.live.url}/storefront/v1/events`, asked);
    if (answer?.status === 202 && answer.body.rejected.length > 0) this.ledger.odd.push(answer.text);
    return answer;
  }

  async #request<T>(url: string, asked: Asked): Promise<Answer<T> | null> {
    const answer = await request<T>(url, asked).catch(() => null);
    const status = answer === null ? "none" : String(answer.status);
    this.ledger.statuses.set(status, (this.ledger.statuses.get(status) ?? 0) + 1);
    const isFailure = answer !== null && answer.status >= 500;
    const later = answer?.status === 503 && /^[1-9]\d*$/.test(answer.headers.get("retry-after") ?? "");
    if (isFailure && !later && answer.status !== 504) this.ledger.odd.push(`${answer.status} ${answer.text}`);
    return answer;
  }

  async #write(list: Written[], shop: HardShop, path: string, body: Record<string, unknown>): Promise<Written> {
    const written: Written = { key: randomUUID(), path, body, status: null, id: null, secret: null };
    list.push(written);
    const answer = await this.ask(shop, written);
    written.status = answer?.status ?? null;
    written.id = typeof answer?.body?.["id"] === "string" ? answer.body["id"] : null;
    written.secret = typeof answer?.body?.["secret"] === "string" ? answer.body["secret"] : null;
    return written;
  }

  async #saveVersion(): Promise<boolean> {
    const { shop, random } = this.#deps;
    const path = `/v1/quizzes/${shop.quizId}/versions`;
    const saved = await this.#write(this.ledger.versions, shop, path, { label: randomUUID() });
    if (saved.status !== 201 || random() > 0.2) return saved.status === 201;
    const published = await this.#write(this.ledger.publishes, shop, `${path}/${saved.id}/publish`, {});
    return published.status === 200;
  }

  async #createEndpoint(): Promise<boolean> {
    // nothing is ever sent there
    const body = { url: `https://192.88.98.1/${randomUUID()}`, topics: ["webhook.endpoint.disabled"] };
    return (await this.#write(this.ledger.endpoints, this.#deps.second, "/v1/webhooks", body)).status === 201;
  }

  async #requestExport(): Promise<boolean> {
    const datasets = ["profiles", "responses", "quiz_analytics"];
    const dataset = datasets[Math.floor(this.#deps.random() * datasets.length)];
    const { status } = await this.#write(this.ledger.exports, this.#deps.shop, "/v1/exports", { dataset });
    return status === 202 || status === 409;
  }

  #url(): string {
    this.#turn += 1;
    return this.#deps.urls[this.#turn % this.#deps.urls.length] ?? "";
  }

  async #again(milliseconds: number, work: () => Promise<boolean>): Promise<void> {
    while (this.#going) {
      await work();
      await pause(milliseconds * (0.5 + this.#deps.random()));
    }
  }
}
