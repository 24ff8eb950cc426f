import { compileQuiz } from "../engine/compile-quiz.ts";
import type { QuizDocument } from "../engine/document.ts";
import type { Quiz } from "../engine/quiz.ts";
import { type Answering, createAnswering } from "./answering.ts";
import { createPersona, type Persona, pickDevice } from "./personas.ts";
import type { Place } from "./places.ts";
import { createRandom, type Random } from "./random.ts";
import { type ShopperBatch, type ShopperSession, sessionOf } from "./session.ts";
import { arrivals } from "./traffic.ts";
import { walk } from "./walk.ts";

export interface PlannedQuiz {
  quiz_id: string;
  /** share of the shop's visits, relative to the other quizzes; 1 by default */
  share?: number;
  /** in any order; `from` is when a version went live, Unix milliseconds */
  versions: readonly { version_id: string; version_number: number; document: QuizDocument; from: number }[];
}

export interface ShopperPlan {
  seed: string | number;
  quizzes: readonly PlannedQuiz[];
  /** Unix milliseconds; sessions open from `from` on, and no event is later than `to` */
  from: number;
  to: number;
  sessions: number;
}

interface LiveVersion {
  version_id: string;
  from: number;
  quiz: Quiz;
}
interface Course {
  quiz_id: string;
  share: number;
  /** newest first */
  versions: LiveVersion[];
}

interface Visitor {
  id: string;
  persona: Persona;
  seenAt: number;
}

/** A session that is about to be opened. */
interface Opening {
  sessionId: string;
  at: number;
  visitor: Visitor;
  course: Course;
}

/** Number of visitors who can come back for another visit. */
const remembered = 3000;
const pauseBetweenVisits = 40 * 60_000;

const courseOf = ({ quiz_id, share = 1, versions }: PlannedQuiz): Course => ({
  quiz_id,
  share,
  versions: versions
    .map(({ version_id, from, document }) => ({ version_id, from, quiz: compileQuiz(document) }))
    .sort((a, b) => b.from - a.from),
});

/** The shop's visitors: some come for the first time, some return, some use another device or a borrowed phone. */
class Crowd {
  readonly #visitors: Visitor[] = [];

  arrive(random: Random, at: number, place: Place): Visitor {
    const known = this.#visitors.length > 0 ? random.pick(this.#visitors) : null;
    if (known && known.seenAt + pauseBetweenVisits < at && random.chance(0.24)) return known;
    const visitor = { id: `vis_${random.hex(32)}`, persona: this.#person(random, place, known), seenAt: at };
    if (this.#visitors.length < remembered) this.#visitors.push(visitor);
    else this.#visitors[random.int(0, remembered - 1)] = visitor;
    return visitor;
  }

  #person(random: Random, place: Place, known: Visitor | null): Persona {
    if (known && random.chance(0.05)) return { ...known.persona, device: pickDevice(random) };
    const persona = createPersona(random, place);
    const sharesPhone = known?.persona.phone && known.persona.place.country === place.country && random.chance(0.03);
    return sharesPhone ? { ...persona, lastName: known.persona.lastName, phone: known.persona.phone } : persona;
  }
}

/** Drops events after `to`: at any time, somebody is in the middle of a session. */
function cut(batches: readonly ShopperBatch[], to: number): ShopperBatch[] {
  return batches.flatMap(({ sentAt, events }) => {
    const before = events.filter((event) => Date.parse(event.at) <= to);
    return before.length > 0 ? [{ sentAt: Math.min(sentAt, to), events: before }] : [];
  });
}

interface Performed {
  session: ShopperSession;
  /** the session that a restart opens; null: no restart */
  next: Opening | null;
}

function perform(answering: Answering, random: Random, opening: Opening, to: number, mayRestart: boolean): Performed {
  const { visitor, course, at, sessionId } = opening;
  const version = course.versions.find(({ from }) => from <= at);
  if (!version) throw new RangeError(`no version of ${course.quiz_id} is live at ${new Date(at).toISOString()}`);
  const nextSessionId = `sess_${random.hex(32)}`;
  const taken = walk({
    random,
    quiz: version.quiz,
    persona: visitor.persona,
    answering,
    opensAt: at,
    nextSessionId: mayRestart ? nextSessionId : null,
    mayIdle: true,
  });
  const lastAt = Date.parse(taken.events.at(-1)?.at ?? "");
  const nextAt = lastAt + random.int(300, 2000);
  const restarts = taken.ending === "restarted" && nextAt < to;
  const finalWalk =
    taken.ending !== "restarted" || restarts
      ? taken
      : { ...taken, ending: "left" as const, events: taken.events.slice(0, -1) };
  const session = sessionOf(random, {
    id: sessionId,
    visitorId: visitor.id,
    quizId: course.quiz_id,
    versionId: version.version_id,
    persona: visitor.persona,
    walk: finalWalk,
    opensAt: at,
  });
  visitor.seenAt = lastAt;
  return {
    session: lastAt > to ? { ...session, ending: "left", batches: cut(session.batches, to) } : session,
    next: restarts ? { sessionId: nextSessionId, at: nextAt, visitor, course } : null,
  };
}

/**
 * The demo's shoppers: exactly `sessions` sessions in order of opening, generated lazily. The same plan gives the same
 * sessions, ids included. A shopper sees the version that is live at the opening; a quiz is not opened before its first
 * version, and there are no sessions at times without a live quiz (then there are fewer in total).
 */
export function* planShoppers({ seed, quizzes, from, to, sessions }: ShopperPlan): Generator<ShopperSession> {
  const root = createRandom(seed);
  const answering = createAnswering();
  const courses = quizzes.map(courseOf);
  const crowd = new Crowd();
  const crowdRandom = root.fork("crowd");
  const restarts: Opening[] = [];
  let [opened, slots] = [0, sessions];
  // A restart's session replaces a later arrival, so that the total stays as requested.
  let owed = 0;
  const play = (opening: Opening): ShopperSession => {
    const { session, next } = perform(answering, root.fork(opened++), opening, to, slots > owed);
    if (next) {
      owed++;
      restarts.push(next);
      restarts.sort((a, b) => a.at - b.at);
    }
    return session;
  };
  for (const { at, place } of arrivals(root.fork("traffic"), from, to, sessions)) {
    slots--;
    for (let next = restarts[0]; next && next.at <= at; next = restarts[0]) {
      restarts.shift();
      yield play(next);
    }
    const live = courses.filter(({ versions }) => versions.some((version) => version.from <= at));
    if (live.length === 0) continue;
    if (owed > 0) {
      owed--;
      continue;
    }
    const course = crowdRandom.weighted(live, ({ share }) => share);
    const visitor = crowd.arrive(crowdRandom, at, place);
    yield play({ sessionId: `sess_${crowdRandom.hex(32)}`, at, visitor, course });
  }
  for (const next of restarts.splice(0)) yield play(next);
}
