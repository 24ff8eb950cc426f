import type { Random } from "../demo/random.ts";
import type { SeededStore } from "../testkit/seeded/history.ts";
import { agentOf } from "../testkit/seeded/quiz.ts";
import { type LoadSessions, turnOf } from "./load-sessions.ts";

/** The requests of a load run, and their shares. */

export interface LoadTarget extends SeededStore {
  /** whether it has a webhook endpoint for the counted topics */
  subscribed: boolean;
  /** gets requests beyond its plan's limits on purpose, and otherwise only shoppers' */
  hammered: boolean;
  /** whether exports are requested for it */
  exported: boolean;
}

export type Group = "shoppers" | "reads" | "analytics" | "searches" | "exports" | "hammered";

export interface Shot {
  kind: string;
  group: Group;
  method: "GET" | "POST";
  path: string;
  headers: Record<string, string>;
  body?: string;
  /** expected statuses; any other is an error */
  statuses: readonly number[];
  /** the body is counted but not kept, since it may be a file */
  large?: boolean;
  /** called with the body of an expected answer */
  answered?: (text: string, etag: string | null, status: number) => void;
}

export interface World {
  targets: readonly LoadTarget[];
  sessions: LoadSessions;
  random: Random;
  /** ms since 1970 at which the request is due */
  dueAt: number;
  /** of analytics answers, by path and key */
  etags: Map<string, string>;
  /** by store: ids of the people on its list's first page */
  people: Map<string, string[]>;
  /** requests of shoppers' events due so far */
  turns: number;
  /** an export was accepted: it is polled until it can be downloaded */
  exportAsked: (target: LoadTarget, path: string) => void;
  /** exports requested so far */
  exports: number;
  /** age of the facts in an analytics answer, ms */
  factsAge: (milliseconds: number) => void;
}

interface Kind {
  name: string;
  group: Group;
  /** relative to the others' weights */
  weight: number;
  shoot: (world: World) => Shot | null;
}

/** Number of sessions between two requests of the same session. */
const apart = 64;

/** Larger stores have more visits, and look at their figures more often. */
const bySize = ({ random, targets }: World): LoadTarget => random.weighted(targets, (target) => target.sessions);

/** Half of shops' requests come from the large ones, half from any. */
function asking(world: World): LoadTarget {
  for (;;) {
    const target = world.random.chance(0.5) ? bySize(world) : world.random.pick(world.targets);
    if (!target.hammered) return target;
  }
}

const keyed = ({ key }: LoadTarget): Record<string, string> => ({ authorization: `Bearer ${key}` });
const okay = [200] as const;

const get = (kind: string, group: Group, target: LoadTarget, path: string): Shot => ({
  kind,
  group,
  method: "GET",
  path,
  headers: keyed(target),
  statuses: okay,
});

function shopperEvents(world: World): Shot | null {
  const turn = turnOf(world.turns++, apart);
  if (turn === null) return null;
  const { sessions } = world;
  if (turn.part === 0) {
    const target = bySize(world);
    sessions.open(target, target.subscribed, world.dueAt);
  }
  return {
    kind: "shopper events",
    group: "shoppers",
    method: "POST",
    path: "/storefront/v1/events",
    headers: {
      "content-type": "text/plain;charset=UTF-8",
      "user-agent": agentOf(turn.number),
    },
    body: sessions.body(turn.number, turn.part),
    statuses: [202],
    answered: (text) => sessions.acknowledge(turn.number, turn.part, Number(/"accepted":(\d+)/.exec(text)?.[1] ?? 0)),
  };
}

function storefrontQuiz(world: World): Shot {
  const { quizzes, publishableKey } = bySize(world);
  const path = `/storefront/v1/quizzes/${world.random.pick(quizzes).quiz}?store=${publishableKey}`;
  return { kind: "storefront quiz", group: "shoppers", method: "GET", path, headers: {}, statuses: okay };
}

const read = (name: string, weight: number, path: (target: LoadTarget, world: World) => string): Kind => ({
  name,
  group: "reads",
  weight,
  shoot: (world) => {
    const target = asking(world);
    return get(name, "reads", target, path(target, world));
  },
});

const quizOf = ({ quizzes }: LoadTarget, { random }: World): string => random.pick(quizzes).quiz;

const reads: readonly Kind[] = [
  read("store", 3, () => "/v1/store"),
  read("quizzes", 4, () => "/v1/quizzes?limit=20"),
  read("quiz", 4, (target, world) => `/v1/quizzes/${quizOf(target, world)}`),
  read("versions", 2, (target, world) => `/v1/quizzes/${quizOf(target, world)}/versions`),
  read("people", 4, () => "/v1/profiles?limit=20"),
  read("person", 2, ({ id }, world) => `/v1/profiles/${world.random.pick(world.people.get(id) ?? [])}`),
  read("exports", 1, () => "/v1/exports"),
  read("webhooks", 1, () => "/v1/webhooks"),
  read("events feed", 1, () => "/v1/events?limit=20"),
];

/** Half of the repeated questions are sent with the answer's tag. */
const question = (name: string, weight: number, path: (target: LoadTarget, world: World) => string): Kind => ({
  name,
  group: "analytics",
  weight,
  shoot: (world) => {
    const target = asking(world);
    const shot = get(name, "analytics", target, path(target, world));
    const known = `${target.key} ${shot.path}`;
    const etag = world.random.chance(0.5) ? world.etags.get(known) : undefined;
    if (etag !== undefined) shot.headers["if-none-match"] = etag;
    return {
      ...shot,
      statuses: [200, 304],
      answered: (text, tag, status) => {
        if (tag !== null) world.etags.set(known, tag);
        const asOf = /"as_of":"([^"]+)"/.exec(text)?.[1];
        if (status === 200 && asOf !== undefined) world.factsAge(Date.now() - Date.parse(asOf));
      },
    };
  },
});

const ofQuiz = (name: string, weight: number, last: string): Kind =>
  question(`quiz ${name}`, weight, (target, world) => `/v1/quizzes/${quizOf(target, world)}/analytics/${last}`);

const analytics: readonly Kind[] = [
  question("summary", 0.5, () => "/v1/analytics/summary"),
  question("comparison", 0.35, () => "/v1/analytics/quizzes?sort=views&dir=desc"),
  question("overview", 0.5, () => "/v1/analytics/overview"),
  question("breakdown", 0.25, () => "/v1/analytics/breakdown?by=device"),
  question("products", 0.25, () => "/v1/analytics/products"),
  ofQuiz("overview", 0.5, "overview"),
  ofQuiz("answers", 0.3, "answers?component_key=skin_type"),
  ofQuiz("funnel", 0.4, "funnel"),
  ofQuiz("breakdown", 0.2, "breakdown?by=country"),
  ofQuiz("paths", 0.25, "paths"),
  ofQuiz("products", 0.25, "products"),
  ofQuiz("traffic", 0.25, "traffic?by=referrer_host"),
];

const option = (quiz_id: string, random: Random): object => ({
  quiz_id,
  page_key: "skin",
  component_key: "skin_type",
  kind: "choice",
  op: "in",
  option_ids: [`skin_type_${random.int(0, 5)}`],
});
const older = (quiz_id: string, random: Random): object => ({
  quiz_id,
  page_key: "age",
  component_key: "age",
  kind: "number",
  op: "gt",
  value: random.int(20, 70),
});

/** In turn: one option; a choice and a number; two groups of both. */
function search(world: World): Shot {
  const target = asking(world);
  const { random } = world;
  const quiz = quizOf(target, world);
  const group = () => ({ all: [option(quiz, random), older(quiz, random)] });
  const groups = random.pick([[{ all: [option(quiz, random)] }], [group()], [group(), group()]]);
  return {
    ...get("people search", "searches", target, "/v1/profiles/search?limit=20"),
    method: "POST",
    headers: { ...keyed(target), "content-type": "application/json" },
    body: JSON.stringify({ groups }),
  };
}

const datasets = ["responses", "profiles", "quiz_analytics"] as const;

/**
 * Large and small stores in turn, each time with another dataset, so that none is requested while it is being built.
 */
function askExport(world: World): Shot {
  const open = world.targets.filter((target) => target.exported);
  const turn = world.exports++;
  const target = open[(turn * 61) % open.length];
  if (target === undefined) throw new Error("there is no store to export from");
  const dataset = datasets[(turn + Math.floor(turn / open.length)) % datasets.length];
  return {
    ...get("export asked", "exports", target, "/v1/exports"),
    method: "POST",
    headers: { ...keyed(target), "content-type": "application/json" },
    body: JSON.stringify({ dataset, format: turn % 2 === 0 ? "csv" : "json" }),
    statuses: [202],
    answered: (text) => world.exportAsked(target, `/v1/exports/${(JSON.parse(text) as { id: string }).id}`),
  };
}

/** One of the stores with ordinary limits; the same one for a minute. */
function hammer({ targets, dueAt }: World): Shot {
  const few = targets.filter((target) => target.hammered);
  const target = few[Math.floor(dueAt / 60_000) % few.length];
  if (target === undefined) throw new Error("there is no store to hammer");
  return { ...get("hammered", "hammered", target, "/v1/analytics/summary"), statuses: [200, 429] };
}

export const mix: readonly Kind[] = [
  { name: "shopper events", group: "shoppers", weight: 60, shoot: shopperEvents },
  { name: "storefront quiz", group: "shoppers", weight: 8, shoot: storefrontQuiz },
  ...reads,
  ...analytics,
  { name: "people search", group: "searches", weight: 1, shoot: search },
  { name: "export asked", group: "exports", weight: 0.05, shoot: askExport },
  { name: "hammered", group: "hammered", weight: 5, shoot: hammer },
];

/** The next request; if a shopper's turn comes too early, a document is fetched instead. */
export function nextShot(world: World): Shot {
  return world.random.weighted(mix, (kind) => kind.weight).shoot(world) ?? storefrontQuiz(world);
}
