/**
 * Who is who (storefront 3): decides, in memory, what the contacts of sessions make of people. The rules:
 *
 * - A session belongs to the person who holds a contact in force in it, an email before a phone; without one to nobody.
 *   It stays with the person it has as long as that one holds such a contact.
 * - A contact newly in force, in `seq` order: unknown and the session has a person: attached; unknown and it has none: a
 *   new person; known: the session joins its holder.
 * - When its holder is not the session's person: a phone moves to the person who holds an email of the session. Emails
 *   never move, and of two people known by two emails, or by two phones, the first typed keeps the session.
 * - A contact replaced or cleared is given up where no other session has it in force; where one has, it stays with its
 *   holder, and what replaces it is attached like any other unknown contact.
 * - A contact overtaken before it was ever settled tells only whom the session was with: its replacement, if unknown, is
 *   attached to that person, as it would have been had the two been settled one after the other.
 * - A person without a contact is merged into the session's person, or gone where there is none. Sessions that a moved
 *   phone leaves without a contact of their person follow it.
 */

export type ContactKind = "email" | "phone";

/** A contact in force in a field of a session. */
export interface Capture {
  componentKey: string;
  pageKey: string;
  kind: ContactKind;
  /** normalised: email in lower case, phone in E.164 */
  value: string;
  /** the checkbox beside the field; null for a field without (2.6) */
  consent: boolean | null;
  at: Date;
}

/** A contact that was typed, whether or not it is in force still. */
export interface CapturedContact extends Capture {
  seq: number;
  /** as the session's events name it */
  eventId: string;
  /** whether it is the answer in force: neither replaced nor cleared since */
  current: boolean;
}

export interface KnownSession {
  id: string;
  profileId: string | null;
  captures: readonly Capture[];
}

export const contactKey = (contact: { kind: ContactKind; value: string }): string => `${contact.kind}:${contact.value}`;

export function readContactKey(key: string): { kind: ContactKind; value: string } {
  const colon = key.indexOf(":");
  return { kind: key.slice(0, colon) as ContactKind, value: key.slice(colon + 1) };
}

/** What one session's contacts did. */
export interface Settlement {
  sessionId: string;
  /** people made, and people whose set of contacts changed; those that have gone since too */
  created: string[];
  updated: string[];
  /** contacts that came into force, in `seq` order, each with every event of the session that typed the same value */
  added: { contact: CapturedContact; eventIds: string[] }[];
  /** of the contacts in force */
  kinds: ContactKind[];
}

export class People {
  readonly sessions = new Map<string, KnownSession>();
  /** who holds a contact, by contact key */
  readonly holders = new Map<string, string>();
  /** into whom a person went; null: gone for good */
  readonly merged = new Map<string, string | null>();
  /** when people were made here */
  readonly made = new Map<string, Date>();
  /** phones that changed hands, in order */
  readonly moved: string[] = [];
  readonly #sets = new Map<string, Set<string>>();
  readonly #elsewhere: ReadonlySet<string>;
  readonly #newId: () => string;
  #before = new Map<string, ReadonlySet<string>>();

  /** @param elsewhere keys of contacts that sessions unknown here have in force */
  constructor(
    sessions: readonly KnownSession[],
    identities: readonly { key: string; profileId: string }[],
    elsewhere: ReadonlySet<string>,
    newId: () => string,
  ) {
    for (const session of sessions) this.sessions.set(session.id, session);
    for (const { key, profileId } of identities) {
      this.holders.set(key, profileId);
      this.#setOf(profileId).add(key);
    }
    this.#elsewhere = elsewhere;
    this.#newId = newId;
  }

  /** @param contacts all that were typed in the session, in `seq` order */
  settle(sessionId: string, contacts: readonly CapturedContact[]): Settlement {
    const session = this.sessions.get(sessionId);
    if (!session) throw new RangeError("a session that was not read");
    this.#before = new Map();
    const made = this.made.size;
    const current = contacts.filter((contact) => contact.current);
    const old = new Set(session.captures.map(contactKey));
    const now = new Set(current.map(contactKey));
    const settled = new Set([...now].filter((key) => old.has(key)));
    let person = now.size > 0 ? session.profileId : null;
    const added: Settlement["added"] = [];
    for (const contact of current) {
      const key = contactKey(contact);
      if (settled.has(key)) continue;
      person = this.#take(contact, person, settled, contacts);
      settled.add(key);
      const same = contacts.filter((other) => contactKey(other) === key);
      added.push({ contact, eventIds: same.map(({ eventId }) => eventId) });
    }
    const given: KnownSession = { id: sessionId, profileId: session.profileId, captures: current };
    this.sessions.set(sessionId, given);
    for (const key of old) if (!now.has(key) && !this.#isBrought(key)) this.#release(key);
    given.profileId = this.#personOf(given, person);
    this.#clearAway(given.profileId);
    const created = [...this.made.keys()].slice(made);
    const updated = [...this.#before.keys()].filter((id) => !created.includes(id) && this.#hasChanged(id));
    return { sessionId, created, updated, added, kinds: [...new Set(current.map(({ kind }) => kind))].sort() };
  }

  /** Where a person is now, after all merges; null: gone. */
  finally(profileId: string): string | null {
    let at: string | null = profileId;
    while (at !== null && this.merged.has(at)) at = this.merged.get(at) ?? null;
    return at;
  }

  /** The session's person after a contact has come into force in it. */
  #take(
    contact: CapturedContact,
    person: string | null,
    settled: ReadonlySet<string>,
    history: readonly CapturedContact[],
  ): string {
    const key = contactKey(contact);
    const holder = this.holders.get(key);
    if (holder === undefined) {
      const owner = person ?? this.#companion(contact, history) ?? this.#make(contact.at);
      this.#give(key, owner);
      return owner;
    }
    if (person === null || person === holder) return holder;
    const own = [...settled].filter((other) => this.holders.get(other) === person);
    const phones = own.filter((other) => other.startsWith("phone:"));
    const hasEmail = own.length > phones.length;
    if (contact.kind === "phone") {
      if (hasEmail) this.#move(key, person);
      return own.length > 0 ? person : holder;
    }
    if (hasEmail) return person;
    for (const phone of phones) this.#move(phone, holder);
    return holder;
  }

  /** The holder of an overtaken contact of the same field. By its place, since two of a field may claim one `seq`. */
  #companion(contact: CapturedContact, history: readonly CapturedContact[]): string | undefined {
    const earlier = history.slice(0, history.indexOf(contact));
    const before = earlier.filter((other) => other.componentKey === contact.componentKey);
    return before.map((other) => this.holders.get(contactKey(other))).find((holder) => holder !== undefined);
  }

  #personOf(session: KnownSession, person: string | null): string | null {
    for (const kind of ["email", "phone"]) {
      const contacts = session.captures.filter((capture) => capture.kind === kind);
      const holders = contacts.flatMap((capture) => this.holders.get(contactKey(capture)) ?? []);
      if (person !== null && holders.includes(person)) return person;
      if (holders[0] !== undefined) return holders[0];
    }
    return null;
  }

  #isBrought(key: string): boolean {
    if (this.#elsewhere.has(key)) return true;
    return [...this.sessions.values()].some((session) =>
      session.captures.some((capture) => contactKey(capture) === key),
    );
  }

  #make(at: Date): string {
    const id = this.#newId();
    this.made.set(id, at);
    return id;
  }

  #give(key: string, owner: string): void {
    this.#remember(owner);
    this.holders.set(key, owner);
    this.#setOf(owner).add(key);
  }

  #release(key: string): void {
    const holder = this.holders.get(key);
    if (holder === undefined) return;
    this.#remember(holder);
    this.holders.delete(key);
    this.#setOf(holder).delete(key);
  }

  #move(phone: string, to: string): void {
    const from = this.holders.get(phone);
    this.#release(phone);
    this.#give(phone, to);
    this.moved.push(phone);
    for (const session of this.sessions.values()) {
      const keys = session.captures.map(contactKey);
      const leaves = session.profileId === from && keys.includes(phone);
      if (leaves && !keys.some((key) => this.holders.get(key) === from)) session.profileId = to;
    }
  }

  /** Merges whoever has lost the last contact. */
  #clearAway(into: string | null): void {
    for (const id of this.#before.keys()) {
      if (this.#setOf(id).size > 0 || this.merged.has(id)) continue;
      this.merged.set(id, into);
      for (const session of this.sessions.values()) if (session.profileId === id) session.profileId = into;
    }
  }

  #hasChanged(id: string): boolean {
    const before = this.#before.get(id) ?? new Set();
    const now = this.#setOf(id);
    return now.size !== before.size || [...now].some((key) => !before.has(key));
  }

  #remember(id: string): void {
    if (!this.#before.has(id)) this.#before.set(id, new Set(this.#setOf(id)));
  }

  #setOf(id: string): Set<string> {
    let set = this.#sets.get(id);
    if (!set) {
      set = new Set();
      this.#sets.set(id, set);
    }
    return set;
  }
}
