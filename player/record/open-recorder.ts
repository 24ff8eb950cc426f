import type { ReportedSession } from "../../contract/storefront.ts";
import type { NewEvent, SavedRun } from "../run/types.ts";
import { Sender } from "./sender.ts";
import { StoredSessions } from "./stored-sessions.ts";
import type {
  Browser,
  Earlier,
  RecorderDeps,
  RecorderFault,
  SessionFacts,
  SessionRecorder,
  StoredSession,
} from "./types.ts";

/**
 * The server ends a session after 30 minutes without an event, by its own clock: some seconds less leave time for an
 * event to arrive.
 */
const idleMs = 30 * 60_000 - 10_000;
/**
 * How long a session's next number is kept after its state and events are gone: another tab may still report events of
 * a finished session.
 */
const numberedMs = 24 * 3_600_000;

export async function openRecorder(deps: RecorderDeps): Promise<SessionRecorder> {
  return new BrowserRecorder(deps);
}

class BrowserRecorder implements SessionRecorder {
  readonly #browser: Browser;
  readonly #store: string;
  readonly #facts: () => SessionFacts;
  readonly #stored: StoredSessions;
  readonly #sender: Sender;
  readonly #off: (() => void)[];
  readonly earlier: Earlier;
  #own: StoredSession;
  /** events without a number, and whether a write is scheduled for the end of the current task */
  #fresh: (NewEvent & { id: string; at: string })[] = [];
  #isDue = false;
  /** whether something was written: an earlier session belongs to this page only once the shopper continues it */
  #isTaken = false;
  /** sessions that this page ran earlier and ended */
  readonly #past = new Set<string>();
  #nextId: string | null = null;
  /** the page may be unloaded at any moment */
  #isGoing = false;
  /** faults from before the first listener; null once there is one */
  #untold: RecorderFault[] | null = [];
  readonly #hears = new Set<(fault: RecorderFault) => void>();

  constructor({ browser, url, store, facts, consent }: RecorderDeps) {
    const fault = (reported: RecorderFault) => this.#tell(reported);
    this.#browser = browser;
    this.#store = store;
    this.#facts = facts;
    this.#stored = new StoredSessions(browser, store, fault);
    const [waiting, isGoing] = [() => this.#waiting(), () => this.#isGoing];
    this.#sender = new Sender({ browser, stored: this.#stored, url, fault, waiting, isGoing });
    if (consent) this.#stored.applyConsent(true, (id) => !this.#isOpen(id));
    const found = this.#found();
    this.#own = found ?? this.#begun();
    const saved = found?.run ?? null;
    if (found === null || saved === null) this.earlier = { kind: "none" };
    else this.earlier = { kind: this.#wasHere(found) ? "reloaded" : "left", saved };
    this.#isTaken = this.earlier.kind === "reloaded";
    browser.memory.sessions.set(this.sessionId, true);
    this.#off = [
      browser.on("hide", () => this.#hide()),
      browser.on("show", () => this.#show()),
      browser.on("online", () => this.#sender.again()),
    ];
    this.#sender.wake();
  }

  get sessionId(): string {
    return this.#own.session.id;
  }

  get visitorId(): string {
    return this.#own.session.visitor_id;
  }

  get isIdle(): boolean {
    const { seq, at } = this.#stored.read(this.sessionId) ?? this.#own;
    return seq > 0 && this.#isLong(at);
  }

  add(event: NewEvent): void {
    const now = this.#browser.now();
    this.#fresh.push({ ...event, id: `evt_${dashed(this.#browser.newId())}`, at: new Date(now).toISOString() });
    // An idle session stays idle, even if the quiz is only closed.
    if (!this.isIdle) this.#own.at = now;
    this.#isDueSoon();
  }

  save(run: SavedRun): void {
    this.#own.run = run;
    this.#isDueSoon();
  }

  nextSessionId(): string {
    this.#nextId ??= `sess_${this.#browser.newId()}`;
    return this.#nextId;
  }

  beginNext(): void {
    this.#write();
    const { session } = this.#own;
    const old = this.#stored.read(session.id);
    if (old !== null) this.#stored.write({ ...old, run: null });
    this.#browser.memory.sessions.delete(session.id);
    if (this.#isTaken) this.#past.add(session.id);
    this.#own = this.#begun();
    this.#isTaken = false;
    this.#browser.memory.sessions.set(this.sessionId, true);
  }

  consent(granted: boolean | null): void {
    if (granted === null && !this.#stored.isPersistent) return;
    this.#write();
    this.#stored.applyConsent(granted === true, (id) => id === this.sessionId || !this.#isOpen(id));
    if (this.#isTaken) this.#stored.mark(this.sessionId);
  }

  onFault(hear: (fault: RecorderFault) => void): () => void {
    const untold = this.#untold ?? [];
    this.#untold = null;
    for (const fault of untold) hear(fault);
    this.#hears.add(hear);
    return () => void this.#hears.delete(hear);
  }

  /** Sends what is left at the end, so that a failure of the browser's leaves nothing open. */
  close(): void {
    this.#write();
    this.#sender.close();
    for (const off of this.#off) off();
    const { sessions } = this.#browser.memory;
    if (this.#isTaken) sessions.set(this.sessionId, false);
    else sessions.delete(this.sessionId);
    this.#hide();
  }

  #tell(fault: RecorderFault): void {
    this.#untold?.push(fault);
    for (const hear of this.#hears) hear(fault);
  }

  #hide(): void {
    this.#isGoing = true;
    this.#write();
    this.#hurry();
  }

  #show(): void {
    this.#isGoing = false;
    this.#sender.again();
  }

  /** Sends the page's own sessions; those that other visits left in storage are for other pages to send. */
  #hurry(): void {
    for (const stored of this.#waiting()) {
      const { id } = stored.session;
      if (!this.#stored.isPersistent || id === this.sessionId || this.#past.has(id)) this.#sender.hurry(stored);
    }
  }

  /**
   * Everything that the page does in one task is written at once, so that after a crash the run and its events agree.
   */
  #isDueSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => this.#write());
  }

  /**
   * Writes the scheduled state and events, which may then be sent [player.numbers]. Event numbers continue from the
   * stored session, because another tab may have continued it.
   */
  #write(): void {
    this.#stored.leaveClearedStorage();
    if (!this.#isDue) return;
    this.#isDue = false;
    const own = this.#own;
    const stored = this.#stored.read(own.session.id) ?? { ...own, events: [] };
    let seq = Math.max(stored.seq, own.seq);
    const numbered = this.#fresh.splice(0).map((event) => ({ ...event, seq: seq++ }));
    this.#own = { ...own, seq, at: Math.max(own.at, stored.at), events: [...stored.events, ...numbered] };
    this.#stored.write(this.#own);
    if (!this.#isTaken) this.#stored.mark(own.session.id);
    this.#isTaken = true;
    if (this.#isGoing) this.#hurry();
    else this.#sender.wake();
  }

  #begun(): StoredSession {
    const id = this.nextSessionId();
    this.#nextId = null;
    const session = { ...this.#facts(), id, visitor_id: this.#stored.visitor };
    return { store: this.#store, session, seq: 0, at: this.#browser.now(), events: [], run: null };
  }

  /** The session that the shopper can resume, preferably this tab's own. Also cleans up expired sessions. */
  #found(): StoredSession | null {
    const candidates = this.#stored.all().filter((candidate) => !this.#isOpen(candidate.session.id));
    for (const candidate of candidates.filter(({ at }) => this.#isLong(at))) {
      if (candidate.run !== null) this.#stored.write({ ...candidate, run: null });
      else if (candidate.events.length === 0 && this.#isPast(candidate.at, numberedMs))
        this.#stored.remove(candidate.session.id);
    }
    const fitting = candidates.filter(
      (candidate) => candidate.run !== null && !this.#isLong(candidate.at) && this.#isOfQuiz(candidate.session),
    );
    const latest = fitting.sort((a, b) => b.at - a.at);
    return latest.find((candidate) => this.#wasHere(candidate)) ?? latest[0] ?? null;
  }

  #isOfQuiz({ quiz_id, version_id, preview }: ReportedSession): boolean {
    const facts = this.#facts();
    return quiz_id === facts.quiz_id && version_id === facts.version_id && !preview === !facts.preview;
  }

  /** Whether this page, or this tab before a reload, ran the session. */
  #wasHere({ session: { id } }: StoredSession): boolean {
    const { memory, isReloaded } = this.#browser;
    return memory.sessions.has(id) || (isReloaded && this.#stored.isMarked(id));
  }

  #isOpen(id: string): boolean {
    return this.#browser.memory.sessions.get(id) === true;
  }

  #isLong(at: number): boolean {
    return this.#isPast(at, idleMs);
  }

  #isPast(at: number, ms: number): boolean {
    return this.#browser.now() - at >= ms;
  }

  /**
   * The page's own session first, then the oldest; never a session that another quiz of the page holds only in memory.
   */
  #waiting(): StoredSession[] {
    const isOwn = ({ session }: StoredSession) => session.id === this.sessionId;
    return this.#stored
      .all()
      .filter(
        (candidate) =>
          candidate.events.length > 0 &&
          (isOwn(candidate) || this.#stored.isPersistent || !this.#isOpen(candidate.session.id)),
      )
      .sort((a, b) => Number(isOwn(b)) - Number(isOwn(a)) || a.at - b.at);
  }
}

const dashed = (id: string): string => id.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
