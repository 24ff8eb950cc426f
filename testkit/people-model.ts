/**
 * The rules of people (storefront 3) without a database and without haste: everybody is looked up by walking all lists.
 * Contacts are written `kind:value`.
 */

export interface TypedContact {
  field: string;
  /** null: the field was cleared */
  contact: string | null;
  consent: boolean;
  /** ms */
  at: number;
  seq: number;
}

export interface ModelSession {
  openedAt: number;
  lastEventAt: number;
  typed: TypedContact[];
  /** contacts in force when people were last settled */
  settled: TypedContact[];
  announced: Set<string>;
  person: ModelPerson | null;
}

export interface ModelPerson {
  label: number;
  contacts: Set<string>;
}

export interface ModelEvent {
  topic: "profile.created" | "profile.updated" | "identity.captured";
  session: number;
  /** of identity.captured */
  contact: string | null;
  person: ModelPerson | null;
}

const half = 30 * 60_000;
const isPhone = (contact: string) => contact.startsWith("phone:");

export class PeopleModel {
  people: ModelPerson[] = [];
  readonly sessions: ModelSession[];
  #labels = 0;

  constructor(sessions: readonly { openedAt: number; lastEventAt: number }[]) {
    this.sessions = sessions.map((times) => ({ ...times, typed: [], settled: [], announced: new Set(), person: null }));
  }

  /** Settles some sessions, one after the other, as one transaction does. */
  settle(indexes: readonly number[]): ModelEvent[] {
    const events = indexes.flatMap((index) => this.#settleOne(index));
    return events.filter((event) => event.person === null || this.people.includes(event.person));
  }

  #settleOne(index: number): ModelEvent[] {
    const session = this.sessions[index];
    if (!session) throw new Error("no such session");
    const before = new Map(this.people.map((person) => [person, [...person.contacts].sort().join()]));
    const inForce = lastOfEachField(session.typed);
    const fresh = inForce.filter((typed) => !session.settled.some((old) => old.contact === typed.contact));
    const news = fresh.filter((typed, place) => fresh.findIndex((other) => other.contact === typed.contact) === place);
    const given = session.settled.filter((old) => !inForce.some((typed) => typed.contact === old.contact));
    const known = inForce.filter((typed) => !fresh.includes(typed)).map((typed) => typed.contact as string);
    let person = inForce.length > 0 ? session.person : null;
    for (const typed of news) {
      person = this.#take(session, typed, person, known);
      known.push(typed.contact as string);
    }
    session.settled = inForce;
    for (const { contact } of given) {
      const still = this.sessions.some((other) => other.settled.some((typed) => typed.contact === contact));
      if (!still) this.#holder(contact as string)?.contacts.delete(contact as string);
    }
    session.person = this.#personOf(session, person);
    for (const empty of this.people.filter(({ contacts }) => contacts.size === 0)) this.#merge(empty, session.person);
    return this.#eventsOf(index, session, before, news);
  }

  #take(session: ModelSession, typed: TypedContact, person: ModelPerson | null, known: readonly string[]): ModelPerson {
    const contact = typed.contact as string;
    const holder = this.#holder(contact);
    if (!holder) {
      const earlier = session.typed.filter((other) => other.field === typed.field && other.seq < typed.seq);
      const companion = earlier.map((other) => other.contact && this.#holder(other.contact)).find(Boolean);
      const owner = person ?? (companion || this.#newPerson());
      owner.contacts.add(contact);
      return owner;
    }
    if (!person || person === holder) return holder;
    const own = known.filter((other) => person.contacts.has(other));
    const email = own.some((other) => !isPhone(other));
    if (isPhone(contact)) {
      if (email) this.#move(contact, holder, person);
      return own.length > 0 ? person : holder;
    }
    if (email) return person;
    for (const phone of own) this.#move(phone, person, holder);
    return holder;
  }

  #move(phone: string, from: ModelPerson, to: ModelPerson): void {
    from.contacts.delete(phone);
    to.contacts.add(phone);
    for (const session of this.sessions.filter((other) => other.person === from)) {
      const contacts = session.settled.map((typed) => typed.contact as string);
      if (contacts.includes(phone) && !contacts.some((contact) => from.contacts.has(contact))) session.person = to;
    }
  }

  #personOf(session: ModelSession, person: ModelPerson | null): ModelPerson | null {
    for (const phones of [false, true]) {
      const contacts = session.settled.map((typed) => typed.contact as string).filter((of) => isPhone(of) === phones);
      const holders = contacts.map((contact) => this.#holder(contact));
      if (person && holders.includes(person)) return person;
      if (holders[0]) return holders[0];
    }
    return null;
  }

  #merge(empty: ModelPerson, into: ModelPerson | null): void {
    this.people = this.people.filter((person) => person !== empty);
    for (const session of this.sessions) if (session.person === empty) session.person = into;
  }

  #eventsOf(
    index: number,
    session: ModelSession,
    before: ReadonlyMap<ModelPerson, string>,
    news: readonly TypedContact[],
  ): ModelEvent[] {
    const events: ModelEvent[] = [];
    for (const { contact } of news) {
      if (session.announced.has(contact as string)) continue;
      session.announced.add(contact as string);
      events.push({ topic: "identity.captured", session: index, contact, person: null });
    }
    for (const person of this.people) {
      const was = before.get(person);
      if (was === [...person.contacts].sort().join()) continue;
      const topic = was === undefined ? "profile.created" : "profile.updated";
      events.push({ topic, session: index, contact: null, person });
    }
    return events;
  }

  #holder(contact: string): ModelPerson | undefined {
    return this.people.find((person) => person.contacts.has(contact));
  }

  #newPerson(): ModelPerson {
    this.#labels += 1;
    const person = { label: this.#labels, contacts: new Set<string>() };
    this.people.push(person);
    return person;
  }

  /** What is known of a person: sessions by index, visits, times and consent of each contact. */
  describe(person: ModelPerson) {
    const sessions = this.sessions.filter((session) => session.person === person);
    const typed = sessions.flatMap((session) => session.settled);
    return {
      sessions: sessions.map((session) => this.sessions.indexOf(session)),
      visits: countVisits(sessions),
      contacts: [...person.contacts].sort().map((contact) => {
        const times = this.sessions.flatMap((session) => session.settled).filter((other) => other.contact === contact);
        const kind = isPhone(contact);
        const ofKind = typed.filter((other) => isPhone(other.contact as string) === kind);
        const newest = ofKind.toSorted((a, b) => b.at - a.at)[0];
        const at = times.map((other) => other.at);
        return { contact, first: Math.min(...at), last: Math.max(...at), consent: newest?.consent ?? null };
      }),
    };
  }
}

function lastOfEachField(typed: readonly TypedContact[]): TypedContact[] {
  const last = typed.filter((one) => !typed.some((other) => other.field === one.field && other.seq > one.seq));
  return last.filter((one) => one.contact !== null).toSorted((a, b) => a.seq - b.seq);
}

function countVisits(sessions: readonly ModelSession[]): number {
  const ordered = sessions.toSorted((a, b) => a.openedAt - b.openedAt);
  const starts = ordered.filter((session, place) => {
    const ends = ordered.slice(0, place).map((earlier) => earlier.lastEventAt);
    return ends.every((end) => session.openedAt - end >= half);
  });
  return starts.length;
}
