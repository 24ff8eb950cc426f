import type { Role } from "../contract/roles.ts";
import type { AuthenticatePerson, SignedIn } from "../server/platform/caller.ts";
import type { TestStore } from "./app.ts";

/** People whom a test declares to be signed in: their cookie is their name. */
export class TestPeople {
  readonly #people = new Map<string, SignedIn>();

  /** for `openTestApp({ signedIn: people.signedIn })` */
  readonly signedIn: AuthenticatePerson = async (cookie) => this.#people.get(cookie ?? "") ?? null;

  /** @returns headers of the person's requests, like those of the dashboard's own pages */
  add(name: string, given: Partial<SignedIn> & { in?: readonly (readonly [TestStore, Role])[] } = {}): PersonHeaders {
    const { in: stores = [], ...fields } = given;
    const number = String(this.#people.size + 1).padStart(12, "0");
    const cookie = `person=${name}`;
    this.#people.set(cookie, {
      userId: `00000000-0000-7000-8000-${number}`,
      email: `${name}@people.example`,
      name,
      operator: false,
      sessionId: `session of ${name}`,
      confirmedAt: Number.MAX_SAFE_INTEGER,
      roles: new Map(stores.map(([store, role]) => [store.uuid, role])),
      ...fields,
    });
    return { cookie, "sec-fetch-site": "same-origin" };
  }
}

export type PersonHeaders = Record<"cookie" | "sec-fetch-site", string>;

/** The headers, and the store that the request is about. */
export const inStore = (headers: PersonHeaders, store: TestStore): Record<string, string> => ({
  ...headers,
  "quizstore-store": store.id,
});
