/**
 * Decides, in memory, which people the contacts of sessions belong to (docs/rules/people.md). In short:
 *
 * - A session belongs to the person who holds a contact in force in it, by email before phone; without a contact it
 *   belongs to nobody. It stays with its person as long as that person holds such a contact [people.session-owner].
 * - A contact that comes into force, in `seq` order: if nobody holds it, it is attached to the session's person
 *   [people.attached-contact], or creates a new person if the session has none [people.new-person]. If somebody holds
 *   it, the session joins that person [people.known-contact].
 * - If somebody other than the session's person holds it: a phone moves to the person who holds an email of the
 *   session, if it is confirmed that both are the same person. That is the case if the session's visitor is the one who
 *   brought the phone, or if an order carries the phone together with an email of that person. Otherwise the phone
 *   stays, since anybody can type anything. Emails never move. If two emails, or two phones, belong to two people, the
 *   first typed decides the session's person [people.typed-contact].
 * - A person has at most 20 contacts of a kind; later ones belong to their session only.
 * - A contact that is replaced or cleared is removed from its person unless another session has it in force
 *   [people.cleared-contact]. If one has, it stays with its holder, and its replacement is attached like any other
 *   unknown contact [people.corrected-value].
 * - A contact that arrives after its replacement only shows who the session was with: the replacement, if unknown, is
 *   attached to that person, as if both had come in order. It separates nobody [people.late-contacts].
 * - A person who loses the last contact is merged into the session's person, or deleted if there is none. Sessions
 *   without another contact of their person follow a moved phone.
 */

/**
 * More than a real person has. Without a limit, strangers could add any number of contacts to a person, and to each
 * event about that person [people.most-contacts].
 */
export const mostContactsOfKind = 20;

export type ContactKind = "email" | "phone";

/** A contact in force in a field of a session. */
export interface Capture {
  componentKey: string;
  pageKey: string;
  kind: ContactKind;
  /** canonical form: email in lower case, phone in E.164 */
  value: string;
  /** its notation, if that is another; null: `value` [people.one-number] */
  shown: string | null;
  /** the checkbox next to the field; null if the field has none [people.consent] */
  consent: boolean | null;
  at: Date;
}

/** A contact that was typed, whether or not it is still in force. */
export interface CapturedContact extends Capture {
  seq: number;
  /** id of the event in the session */
  eventId: string;
  /** whether it is still in force, that is, neither replaced nor cleared since */
  current: boolean;
}

export interface KnownSession {
  id: string;
  visitorId: string;
  profileId: string | null;
  captures: readonly Capture[];
}

export interface KnownIdentity {
  key: string;
  profileId: string;
  shown: string | null;
  /** the visitor whose session brought it; null if unknown */
  broughtBy: string | null;
}

export interface KnownPeople {
  sessions: readonly KnownSession[];
  identities: readonly KnownIdentity[];
  /** keys of contacts that are in force in sessions other than `sessions` */
  elsewhere: ReadonlySet<string>;
  /** by phone key: keys of emails that an order carries together with the phone */
  ordered: ReadonlyMap<string, ReadonlySet<string>>;
  /** pairs of people (see `pairOf`) whose merge was undone; they are never merged again */
  apart: ReadonlySet<string>;
  /** keys of phones that too many sessions have for a visitor to move them */
  crowded: ReadonlySet<string>;
}

/** A contact in normalized form, as in identities. */
export interface Contact {
  kind: ContactKind;
  value: string;
}

export const contactKey = ({ kind, value }: Contact): string => `${kind}:${value}`;

export const contactKeys = ({ emails, phones }: { emails: readonly string[]; phones: readonly string[] }): string[] => [
  ...emails.map((value) => contactKey({ kind: "email", value })),
  ...phones.map((value) => contactKey({ kind: "phone", value })),
];

export function readContactKey(key: string): Contact {
  const colon = key.indexOf(":");
  return { kind: key.slice(0, colon) as ContactKind, value: key.slice(colon + 1) };
}

export const pairOf = (a: string, b: string): string => [a, b].sort().join(" ");

/** A change to a person's set of contacts, as if the session's contacts had come one by one. */
export interface PersonStep {
  profileId: string;
  /** the contacts that the person held after the change */
  keys: ReadonlySet<string>;
  /** kinds of the session's contacts in force up to then */
  kinds: ContactKind[];
  /** null if no contact of the session caused it */
  at: Date | null;
}

/** The effect of one session's contacts, or of an order that confirmed a pair. */
export interface Resolution {
  /** null for an order */
  sessionId: string | null;
  /** contacts that were in force in the session for a while, but are not at the end */
  passing: ReadonlySet<string>;
  /** includes steps of people who are gone by the end */
  steps: PersonStep[];
  /** contacts that came into force, in `seq` order, each with all events of the session that typed the same value */
  added: { contact: CapturedContact; eventIds: string[] }[];
}

/** A phone that moved to another person [people.brought-phone]. */
export interface Move {
  phone: string;
  from: string;
  to: string;
  confirmedBy: "visitor" | "order";
}

export class People {
  readonly sessions = new Map<string, KnownSession>();
  /** the person who holds each contact, by contact key */
  readonly holders = new Map<string, string>();
  /** the visitor who brought each contact, by contact key */
  readonly bringers = new Map<string, string | null>();
  /** how each contact is shown, by contact key: as it was when it was brought */
  readonly shown = new Map<string, string | null>();
  /** the person that each merged person went into; null if deleted */
  readonly merged = new Map<string, string | null>();
  /** creation times of the people created here */
  readonly made = new Map<string, Date>();
  /** in chronological order */
  readonly moves: Move[] = [];
  readonly #sets = new Map<string, Set<string>>();
  readonly #known: KnownPeople;
  readonly #newId: () => string;
  #before = new Map<string, ReadonlySet<string>>();
  #steps: PersonStep[] = [];

  constructor(known: KnownPeople, newId: () => string) {
    for (const session of known.sessions) this.sessions.set(session.id, session);
    for (const { key, profileId, broughtBy, shown } of known.identities) {
      this.holders.set(key, profileId);
      this.bringers.set(key, broughtBy);
      this.shown.set(key, shown);
      this.#setOf(profileId).add(key);
    }
    this.#known = known;
    this.#newId = newId;
  }

  /** @param states the session's contacts after each new one, see `SessionContacts`; returns one resolution for each */
  resolve(sessionId: string, states: readonly (readonly CapturedContact[])[]): Resolution[] {
    const keysOf = (state: readonly CapturedContact[] = []) => state.filter(({ current }) => current).map(contactKey);
    const lasting = new Set(keysOf(states.at(-1)));
    const passing = new Set(states.flatMap((state) => keysOf(state)).filter((key) => !lasting.has(key)));
    return states.map((state) => ({ ...this.#resolve(sessionId, state), passing }));
  }

  /** @param contacts all contacts typed in the session so far, in `seq` order */
  #resolve(sessionId: string, contacts: readonly CapturedContact[]): Omit<Resolution, "passing"> {
    const session = this.sessions.get(sessionId);
    if (!session) throw new RangeError("a session that was not read");
    this.#begin();
    const current = contacts.filter((contact) => contact.current);
    const old = new Set(session.captures.map(contactKey));
    const now = new Set(current.map(contactKey));
    const inForce = new Set([...now].filter((key) => old.has(key)));
    const updated: KnownSession = { ...session, captures: current };
    this.sessions.set(sessionId, updated);
    this.#giveUp(session.captures, current, inForce);
    let person = now.size > 0 ? session.profileId : null;
    const added: Resolution["added"] = [];
    for (const contact of current) {
      const key = contactKey(contact);
      if (inForce.has(key)) continue;
      person = this.#bringIn(contact, { session: updated, person, inForce, history: contacts });
      inForce.add(key);
      this.#step(inForce, contact.at);
      const same = contacts.filter((other) => contactKey(other) === key);
      added.push({ contact, eventIds: same.map(({ eventId }) => eventId) });
    }
    updated.profileId = this.#personOf(updated, person);
    this.#clearAway(updated.profileId);
    this.#step(inForce, added.at(-1)?.contact.at ?? null);
    return { sessionId, steps: this.#steps, added };
  }

  /**
   * Handles an order that carries both contacts, which some session has in force together: merges their two holders.
   */
  confirm(email: string, phone: string): Resolution {
    this.#begin();
    const [to, from] = [this.holders.get(email), this.holders.get(phone)];
    const areTwo = to !== undefined && from !== undefined && to !== from;
    if (areTwo && this.#mayJoin(phone, from, to)) {
      this.#move(phone, to, "order");
      this.#clearAway(to);
      this.#step(new Set(), null);
    }
    return { sessionId: null, passing: new Set(), steps: this.#steps, added: [] };
  }

  /** The person that this one has become after all merges; null if deleted. */
  finally(profileId: string): string | null {
    let at: string | null = profileId;
    while (at !== null && this.merged.has(at)) at = this.merged.get(at) ?? null;
    return at;
  }

  #begin(): void {
    this.#before = new Map();
    this.#steps = [];
  }

  /** Each cleared contact is a step of its own; a replaced one shares the step of its replacement. */
  #giveUp(old: readonly Capture[], current: readonly Capture[], inForce: ReadonlySet<string>): void {
    const keys = new Set(current.map(contactKey));
    const fields = new Set(current.map(({ componentKey }) => componentKey));
    const gone = old.filter((capture) => !keys.has(contactKey(capture)) && !this.#isBrought(contactKey(capture)));
    const [replaced, cleared] = [true, false].map((isFilled) =>
      gone.filter(({ componentKey }) => fields.has(componentKey) === isFilled).map(contactKey),
    );
    for (const key of cleared?.sort() ?? []) {
      this.#release(key);
      this.#step(inForce, null);
    }
    for (const key of replaced ?? []) this.#release(key);
  }

  /** Returns the session's person after a contact has come into force in it. */
  #bringIn(
    contact: CapturedContact,
    around: {
      session: KnownSession;
      person: string | null;
      inForce: ReadonlySet<string>;
      history: readonly CapturedContact[];
    },
  ): string {
    const { session, person, inForce, history } = around;
    const key = contactKey(contact);
    const holder = this.holders.get(key);
    if (holder === undefined) {
      const owner = person ?? this.#companion(contact, history) ?? this.#make(contact.at);
      if (this.#hasRoom(owner, key)) {
        this.#give(key, owner, session.visitorId);
        this.shown.set(key, contact.shown);
      }
      return owner;
    }
    if (person === null || person === holder) return holder;
    const own = [...inForce].filter((other) => this.holders.get(other) === person);
    const phones = own.filter((other) => other.startsWith("phone:"));
    const hasEmail = own.length > phones.length;
    if (contact.kind === "phone") {
      if (hasEmail) this.#moveIfConfirmed(key, person, session);
      return own.length > 0 ? person : holder;
    }
    if (hasEmail) return person;
    for (const phone of phones) this.#moveIfConfirmed(phone, holder, session);
    return holder;
  }

  #moveIfConfirmed(phone: string, to: string, { visitorId }: KnownSession): void {
    const from = this.holders.get(phone);
    if (from === undefined || !this.#mayJoin(phone, from, to)) return;
    const emails = [...(this.#known.ordered.get(phone) ?? [])];
    const mayVisitor = this.bringers.get(phone) === visitorId && !this.#known.crowded.has(phone);
    if (mayVisitor) this.#move(phone, to, "visitor");
    else if (emails.some((email) => this.holders.get(email) === to)) this.#move(phone, to, "order");
  }

  #mayJoin(phone: string, from: string, to: string): boolean {
    return !this.#known.apart.has(pairOf(from, to)) && this.#hasRoom(to, phone);
  }

  #hasRoom(id: string, key: string): boolean {
    const { kind } = readContactKey(key);
    return [...this.#setOf(id)].filter((other) => other.startsWith(`${kind}:`)).length < mostContactsOfKind;
  }

  /**
   * The holder of an earlier contact in the same field. Compares positions, since two contacts of a field may have the
   * same `seq`.
   */
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
    if (this.#known.elsewhere.has(key)) return true;
    return [...this.sessions.values()].some((session) =>
      session.captures.some((capture) => contactKey(capture) === key),
    );
  }

  #make(at: Date): string {
    const id = this.#newId();
    this.made.set(id, at);
    return id;
  }

  #give(key: string, owner: string, broughtBy: string | null): void {
    this.#remember(owner);
    this.holders.set(key, owner);
    this.bringers.set(key, broughtBy);
    this.#setOf(owner).add(key);
  }

  #release(key: string): void {
    const holder = this.holders.get(key);
    if (holder === undefined) return;
    this.#remember(holder);
    this.holders.delete(key);
    this.bringers.delete(key);
    this.#setOf(holder).delete(key);
  }

  #move(phone: string, to: string, confirmedBy: Move["confirmedBy"]): void {
    const from = this.holders.get(phone);
    if (from === undefined) throw new RangeError("a phone that nobody holds");
    const broughtBy = this.bringers.get(phone) ?? null;
    this.#release(phone);
    this.#give(phone, to, broughtBy);
    this.moves.push({ phone, from, to, confirmedBy });
    for (const session of this.sessions.values()) {
      const keys = session.captures.map(contactKey);
      const leaves = session.profileId === from && keys.includes(phone);
      if (leaves && !keys.some((key) => this.holders.get(key) === from)) session.profileId = to;
    }
  }

  /** Merges everyone who has lost their last contact [people.merge]. */
  #clearAway(into: string | null): void {
    for (const id of this.#before.keys()) {
      if (this.#setOf(id).size > 0 || this.merged.has(id)) continue;
      this.merged.set(id, into);
      for (const session of this.sessions.values()) if (session.profileId === id) session.profileId = into;
    }
  }

  /** Records the people whose set of contacts has changed since their last step. */
  #step(inForce: ReadonlySet<string>, at: Date | null): void {
    for (const [id, before] of this.#before) {
      const now = this.#setOf(id);
      const noted = this.#steps.findLast(({ profileId }) => profileId === id);
      const last = noted?.keys ?? before;
      if (now.size === 0 || (now.size === last.size && [...now].every((key) => last.has(key)))) continue;
      const kinds = [...new Set([...inForce].map((key) => readContactKey(key).kind))].sort();
      this.#steps.push({ profileId: id, keys: new Set(now), kinds, at });
    }
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
