/**
 * The rules of people (docs/rules/people.md) without a database, simple and slow: every look-up searches all lists.
 * Contacts have the form `kind:value`.
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
  visitor: string;
  openedAt: number;
  lastEventAt: number;
  typed: TypedContact[];
  /** contacts in force when the session's people were last resolved */
  resolved: TypedContact[];
  announced: Set<string>;
  person: ModelPerson | null;
}

export interface ModelPerson {
  label: number;
  contacts: Set<string>;
}

/** An order's first email and first phone, and the visitor that it names. */
export interface ModelOrder {
  email: string | null;
  phone: string | null;
  visitor: string | null;
}

export interface ModelEvent {
  topic: "profile.created" | "profile.updated" | "identity.captured";
  /** null: caused by an order */
  session: number | null;
  /** for identity.captured */
  contact: string | null;
  person: ModelPerson | null;
  /** the contacts that the person had at that point */
  held: string[];
  /** contacts that the session had in between, but not at the end */
  passing: ReadonlySet<string>;
}

const half = 30 * 60_000;
const isPhone = (contact: string) => contact.startsWith("phone:");
const mostOfKind = 20;

export const newModelSession = (visitor: string, openedAt = 0, lastEventAt = 0): ModelSession => ({
  visitor,
  openedAt,
  lastEventAt,
  typed: [],
  resolved: [],
  announced: new Set(),
  person: null,
});

export class PeopleModel {
  people: ModelPerson[] = [];
  readonly sessions: ModelSession[];
  readonly orders: ModelOrder[] = [];
  /** by contact that somebody holds: the visitor who brought it */
  readonly bringers = new Map<string, string>();
  /** by person: the contacts last announced during the current resolving */
  #told = new Map<ModelPerson, string>();
  #labels = 0;

  constructor(sessions: readonly ModelSession[]) {
    this.sessions = [...sessions];
  }

  /**
   * Resolves the people of some sessions one after another, like one transaction.
   *
   * @param statesOf a session's contacts after each answer that arrived; by default, all at once
   */
  resolve(indexes: readonly number[], statesOf?: (index: number) => readonly TypedContact[][]): ModelEvent[] {
    const told = this.#heldBy();
    const events = indexes.flatMap((index) => {
      const session = this.sessions[index];
      if (!session) throw new Error("no such session");
      const states = statesOf?.(index) ?? [session.typed];
      const passing = passingContacts(states);
      return states.flatMap((typed) => {
        session.typed = [...typed];
        return this.#resolveOne(session, index, passing);
      });
    });
    return this.#lasting(events, told);
  }

  /** Processes an order. */
  order(order: ModelOrder): ModelEvent[] {
    this.orders.push(order);
    const told = this.#heldBy();
    this.#begin();
    const { email, phone } = order;
    const [to, from] = [email && this.#holder(email), phone && this.#holder(phone)];
    const met = this.sessions.some(({ resolved }) =>
      [email, phone].every((contact) => resolved.some((typed) => typed.contact === contact)),
    );
    if (met && to && from && phone && to !== from && this.#hasRoom(to, phone)) this.#move(phone, from, to);
    for (const empty of this.people.filter(({ contacts }) => contacts.size === 0)) this.#merge(empty, to || null);
    return this.#lasting(this.#tell(null), told);
  }

  /**
   * Drops events of people who are gone, or who have nothing left of what they had then: changes that were undone are
   * not announced.
   *
   * @param told what each person held before
   */
  #lasting(events: readonly ModelEvent[], told: Map<ModelPerson, string>): ModelEvent[] {
    return events.flatMap((event) => {
      const { person, passing } = event;
      if (person === null) return [event];
      if (!this.people.includes(person)) return [];
      const held = event.held.filter((contact) => person.contacts.has(contact) || !passing.has(contact));
      const was = told.get(person);
      if (!held.some((contact) => person.contacts.has(contact)) || was === held.join()) return [];
      told.set(person, held.join());
      return [{ ...event, held, topic: was === undefined ? "profile.created" : "profile.updated" }];
    });
  }

  #heldBy = () => new Map(this.people.map((person) => [person, [...person.contacts].sort().join()]));

  #begin(): void {
    this.#told = this.#heldBy();
  }

  #resolveOne(session: ModelSession, index: number, passing: ReadonlySet<string>): ModelEvent[] {
    this.#begin();
    const inForce = lastOfEachField(session.typed);
    const fresh = inForce.filter((typed) => !session.resolved.some((old) => old.contact === typed.contact));
    const news = fresh.filter((typed, place) => fresh.findIndex((other) => other.contact === typed.contact) === place);
    const given = session.resolved.filter((old) => !inForce.some((typed) => typed.contact === old.contact));
    const known = inForce.filter((typed) => !fresh.includes(typed)).map((typed) => typed.contact as string);
    let person = inForce.length > 0 ? session.person : null;
    session.resolved = inForce;
    const events: ModelEvent[] = [];
    const isFilled = ({ field }: TypedContact) => inForce.some((typed) => typed.field === field);
    for (const contact of given
      .filter((old) => !isFilled(old))
      .map((old) => old.contact as string)
      .sort()) {
      this.#giveUp(contact);
      events.push(...this.#tell(index, passing));
    }
    for (const old of given.filter(isFilled)) this.#giveUp(old.contact as string);
    for (const typed of news) {
      person = this.#take(session, typed, person, known);
      known.push(typed.contact as string);
      events.push(...this.#tell(index, passing));
    }
    session.person = this.#personOf(session, person);
    for (const empty of this.people.filter(({ contacts }) => contacts.size === 0)) this.#merge(empty, session.person);
    const lasting = news.filter(({ contact }) => !passing.has(contact as string));
    return [...events, ...this.#tell(index, passing), ...capturedIn(session, index, lasting)];
  }

  #giveUp(contact: string): void {
    const still = this.sessions.some((other) => other.resolved.some((typed) => typed.contact === contact));
    if (!still) this.#holder(contact)?.contacts.delete(contact);
  }

  #take(session: ModelSession, typed: TypedContact, person: ModelPerson | null, known: readonly string[]): ModelPerson {
    const contact = typed.contact as string;
    const holder = this.#holder(contact);
    if (!holder) {
      const earlier = session.typed.filter((other) => other.field === typed.field && other.seq < typed.seq);
      const companion = earlier.map((other) => other.contact && this.#holder(other.contact)).find(Boolean);
      const owner = person ?? (companion || this.#newPerson());
      if (!this.#hasRoom(owner, contact)) return owner;
      owner.contacts.add(contact);
      this.bringers.set(contact, session.visitor);
      return owner;
    }
    if (!person || person === holder) return holder;
    const own = known.filter((other) => person.contacts.has(other));
    const email = own.some((other) => !isPhone(other));
    if (isPhone(contact)) {
      if (email && this.#isConfirmed(session, contact, person)) this.#move(contact, holder, person);
      return own.length > 0 ? person : holder;
    }
    if (email) return person;
    for (const phone of own) if (this.#isConfirmed(session, phone, holder)) this.#move(phone, person, holder);
    return holder;
  }

  /** Whether the visitor brought the phone, or an order has both it and an email of that person. */
  #isConfirmed(session: ModelSession, phone: string, to: ModelPerson): boolean {
    const ordered = this.orders.some((order) => order.phone === phone && order.email && to.contacts.has(order.email));
    return this.#hasRoom(to, phone) && (this.bringers.get(phone) === session.visitor || ordered);
  }

  #hasRoom = (person: ModelPerson, contact: string): boolean =>
    [...person.contacts].filter((other) => isPhone(other) === isPhone(contact)).length < mostOfKind;

  #move(phone: string, from: ModelPerson, to: ModelPerson): void {
    from.contacts.delete(phone);
    to.contacts.add(phone);
    for (const session of this.sessions.filter((other) => other.person === from)) {
      const contacts = session.resolved.map((typed) => typed.contact as string);
      if (contacts.includes(phone) && !contacts.some((contact) => from.contacts.has(contact))) session.person = to;
    }
  }

  #personOf(session: ModelSession, person: ModelPerson | null): ModelPerson | null {
    for (const phones of [false, true]) {
      const contacts = session.resolved.map((typed) => typed.contact as string).filter((of) => isPhone(of) === phones);
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

  /** Announces people whose contacts have changed since the last announcement; people without any are not announced. */
  #tell(index: number | null, passing: ReadonlySet<string> = new Set()): ModelEvent[] {
    const events: ModelEvent[] = [];
    for (const person of this.people) {
      const [was, now] = [this.#told.get(person), [...person.contacts].sort().join()];
      if (was === now || now === "") continue;
      this.#told.set(person, now);
      const topic = was === undefined ? "profile.created" : "profile.updated";
      events.push({ topic, session: index, contact: null, person, held: now.split(","), passing });
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

  /** The facts about a person: sessions by index, visits, times and consent of each contact. */
  describe(person: ModelPerson) {
    const sessions = this.sessions.filter((session) => session.person === person);
    return {
      sessions: sessions.map((session) => this.sessions.indexOf(session)),
      visits: countVisits(sessions),
      contacts: [...person.contacts].sort().map((contact) => {
        const times = this.sessions.flatMap((session) => session.resolved).filter((other) => other.contact === contact);
        const at = times.map((other) => other.at);
        const consent = this.#consentOf(contact, sessions);
        return { contact, first: Math.min(...at), last: Math.max(...at), consent };
      }),
    };
  }

  /**
   * The latest checkbox of the contact's kind that its bringer answered, or another session with the same contact; of
   * the latter only unticked ones count, or those of a visitor whose order names the contact.
   */
  #consentOf(contact: string, sessions: readonly ModelSession[]): boolean | null {
    const answered = sessions.flatMap((session) => session.resolved.map((typed) => ({ session, typed })));
    const counting = answered.filter(({ session, typed }) => {
      if (isPhone(typed.contact as string) !== isPhone(contact)) return false;
      if (session.visitor === this.bringers.get(contact)) return true;
      if (typed.contact !== contact) return false;
      const names = ({ email, phone, visitor }: ModelOrder) =>
        visitor === session.visitor && [email, phone].includes(contact);
      return !typed.consent || this.orders.some(names);
    });
    return counting.toSorted((a, b) => b.typed.at - a.typed.at)[0]?.typed.consent ?? null;
  }
}

function capturedIn(session: ModelSession, index: number, news: readonly TypedContact[]): ModelEvent[] {
  return news.flatMap(({ contact }) => {
    if (session.announced.has(contact as string)) return [];
    session.announced.add(contact as string);
    return [
      { topic: "identity.captured" as const, session: index, contact, person: null, held: [], passing: new Set() },
    ];
  });
}

function passingContacts(states: readonly (readonly TypedContact[])[]): Set<string> {
  const [last = [], ...earlier] = states.map((typed) => lastOfEachField(typed).map(({ contact }) => contact)).reverse();
  return new Set(earlier.flat().flatMap((contact) => (contact === null || last.includes(contact) ? [] : [contact])));
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
