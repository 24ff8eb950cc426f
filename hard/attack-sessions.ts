import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Visit } from "../journeys/visit.ts";
import { conditionalPages } from "./attack-quizzes.ts";
import { type Attack, inMb, inMs, median, must, patience, type Scene, scaled } from "./attack-script.ts";
import { eventsRequest, type Reply, type Request, tallyLine, visitTo } from "./attack-send.ts";

/** Sessions that are large, long, or expensive to compute. */

/** Maximum time of a shopper's request on an idle machine; far more than any needs. */
const longestMs = 1_000;

/** An event of about 100 KB that compresses to nearly nothing. */
function heavyEvent(visit: Visit, products = 250) {
  const product_id = "a".repeat(190);
  const shown = Array.from({ length: products }, (_, position) => ({
    ...{ product_id: `${product_id}${position}`, variant_id: product_id, position, source: "fixed" },
  }));
  return visit.shown("result", "block", shown);
}

/** The largest body that the program accepts, of the two sizes tried. */
async function bodySize({ ground, sender }: Scene): Promise<number> {
  const visit = visitTo(ground, ground.victim.quizzes.short);
  const [opened] = [visit.opened()];
  const request = eventsRequest(visit, [opened]);
  const padded = { ...request, body: `${String(request.body)}${" ".repeat(700_000)}` };
  return (await sender.send(padded)).status === 202 ? 1_000_000 : 250_000;
}

/** Requests that fill one session with this many bytes. */
function* filling(visit: Visit, bytes: number, size: number): Generator<Request> {
  const each = Buffer.byteLength(JSON.stringify(heavyEvent(visit)));
  const perBody = Math.max(1, Math.floor((size - 2_000) / each));
  yield eventsRequest(visit, [visit.opened(), visit.entered("first", "start")]);
  for (let sent = 0; sent < bytes; sent += each * perBody) {
    yield eventsRequest(
      visit,
      Array.from({ length: perBody }, () => heavyEvent(visit)),
    );
  }
}

function* inTurn<T>(sources: readonly Generator<T>[]): Generator<T> {
  for (let open = [...sources]; open.length > 0; ) {
    const still: Generator<T>[] = [];
    for (const source of open) {
      const next = source.next();
      if (next.done) continue;
      yield next.value;
      still.push(source);
    }
    open = still;
  }
}

const slow = (scene: Scene, replies: readonly Reply[]): string[] => {
  const bound = patience(scene, longestMs);
  const late = replies.filter(({ ms }) => ms > bound).length;
  return must(late === 0, `${late} of ${replies.length} requests took longer than ${inMs(bound)}`);
};

const unheard = (replies: readonly Reply[]): string[] => {
  const odd = replies.filter(({ status }) => status >= 500);
  const first = odd[0] ? `, such as ${odd[0].status} ${odd[0].text.slice(0, 150)}` : "";
  return must(odd.length === 0, `${odd.length} of ${replies.length} requests were answered 5xx${first}`);
};

const heavySessions: Attack = {
  name: "heavy-sessions",
  what: "48 sessions of 16 MB that fall due together",
  seconds: 540,
  clockSpeed: 20,
  async run(scene) {
    const { ground, sender } = scene;
    const size = await bodySize(scene);
    const visits = Array.from({ length: scaled(scene, 48, 4) }, () => visitTo(ground, ground.victim.quizzes.short));
    const requests = inTurn(visits.map((visit) => filling(visit, 16e6, size)));
    const replies = await insist(scene, requests, performance.now() + 240_000);
    const { rows } = await ground.client.query<{ bytes: string }>(
      "SELECT coalesce(max(bytes), 0) AS bytes FROM (SELECT sum(pg_column_size(data)) AS bytes FROM session_events WHERE store_id = $1 GROUP BY session_id) AS each",
      [ground.victim.uuid],
    );
    const sent = tallyLine(sender.take());
    // neighbours continue, and each of their sessions is due 30 minutes after its last event: so only the heavy ones
    // are checked
    const due = await until(ground, 1_800 / ground.clockSpeed + 60, visits);
    return {
      measured: `${sent}; largest session ${inMb(Number(rows[0]?.bytes ?? 0))} stored; ${due.left} of ${visits.length} not swept after ${due.seconds.toFixed(0)} s`,
      faults: [
        ...slow(scene, replies),
        ...unheard(replies),
        ...must(due.left === 0, `${due.left} sessions are still due a minute after their time`),
      ],
    };
  },
};

/** Sends all on three connections, each repeatedly until it is accepted or refused for its content. */
async function insist({ sender }: Scene, requests: Generator<Request>, until: number): Promise<Reply[]> {
  const replies: Reply[] = [];
  const lane = async () => {
    for (const request of requests) {
      if (performance.now() > until) return;
      for (let later = true; later && performance.now() < until; ) {
        const reply = await sender.send(request);
        replies.push(reply);
        later = reply.status === 429 || reply.status === 503;
        if (later) await pause(500);
      }
    }
  };
  await Promise.all([lane(), lane(), lane()]);
  return replies;
}

/** Waits until none of the visits is due any more. */
async function until({ client, victim }: Scene["ground"], seconds: number, visits: readonly Visit[]) {
  const ids = visits.map(({ session }) => session.id.replace("sess_", ""));
  const sql =
    "SELECT count(*)::integer AS left FROM sessions WHERE store_id = $1 AND id = ANY ($2) AND due_at IS NOT NULL";
  const from = performance.now();
  for (;;) {
    const { rows } = await client.query<{ left: number }>(sql, [victim.uuid, ids]);
    const left = rows[0]?.left ?? 0;
    const waited = (performance.now() - from) / 1_000;
    if (left === 0 || waited > seconds) return { left, seconds: waited };
    await pause(500);
  }
}

/** Sends ten small events to a session, one after another; returns the median time of an answer. */
async function smallEvents({ sender }: Scene, visit: Visit): Promise<{ ms: number; replies: Reply[] }> {
  const replies: Reply[] = [];
  for (let turn = 0; turn < 10; turn += 1) {
    replies.push(await sender.send(eventsRequest(visit, [visit.chose("first", "pick", "one")])));
  }
  return { ms: median(replies.map(({ ms }) => ms)), replies };
}

const longSession: Attack = {
  name: "long-session",
  what: "a 400-byte event on a session of 33 MB",
  seconds: 300,
  async run(scene) {
    const { ground, sender } = scene;
    const [visit, fresh] = [0, 1].map(() => visitTo(ground, ground.victim.quizzes.short)) as [Visit, Visit];
    await sender.send(eventsRequest(fresh, [fresh.opened(), fresh.entered("first", "start")]));
    const short = await smallEvents(scene, fresh);
    const size = await bodySize(scene);
    const bytes = scaled(scene, 33e6, 4e6);
    const filled = await sender.sendAll(filling(visit, bytes, size), 2, performance.now() + 150_000);
    const line = tallyLine(sender.take());
    const long = await smallEvents(scene, visit);
    const times = long.ms / short.ms;
    return {
      measured: `an event on a short session ${inMs(short.ms)}, on the long one ${inMs(long.ms)} (${times.toFixed(1)} times); filling it: ${line}`,
      faults: [
        ...slow(scene, [...filled, ...long.replies]),
        ...unheard([...filled, ...long.replies]),
        ...must(
          long.ms < Math.max(3 * short.ms, patience(scene, 50)),
          `an event on the long session takes ${inMs(long.ms)}`,
        ),
      ],
    };
  },
};

const blankPhones: Attack = {
  name: "phones",
  what: "phones with 240 blanks, typed again and again in one session",
  seconds: 240,
  async run(scene) {
    const { ground, sender } = scene;
    const visit = visitTo(ground, ground.victim.quizzes.branching);
    const typed = (number: number) =>
      visit.wrote("first", `tel_${number % 20}`, `+49 110${" ".repeat(240)}${number % 10}`);
    const batches = Array.from({ length: scaled(scene, 20, 3) }, (_, batch) =>
      eventsRequest(
        visit,
        Array.from({ length: 100 }, (_, number) => typed(batch * 100 + number)),
      ),
    );
    const replies = await sender.sendAll(batches, 1, performance.now() + 150_000);
    const small = await smallPhone(scene, visit);
    return {
      measured: `${tallyLine(sender.take())}; one more event ${inMs(small)}`,
      faults: [
        ...slow(scene, replies),
        ...unheard(replies),
        ...must(small < patience(scene, 100), `one more event takes ${inMs(small)}`),
      ],
    };
  },
};

async function smallPhone({ sender }: Scene, visit: Visit): Promise<number> {
  const times: number[] = [];
  for (let turn = 0; turn < 5; turn += 1) {
    times.push((await sender.send(eventsRequest(visit, [visit.wrote("first", "tel_1", "+49 110")]))).ms);
  }
  return median(times);
}

const finishes: Attack = {
  name: "finish",
  what: "2,000 events on a quiz of 199 conditional results, each with a finish that waits",
  seconds: 300,
  async run(scene) {
    const { ground, sender } = scene;
    const visit = visitTo(ground, ground.victim.quizzes.branching);
    const events = [
      visit.entered("first", "start"),
      ...Array.from({ length: conditionalPages }, (_, number) => visit.finished(`page_${number}`)),
      ...Array.from({ length: scaled(scene, 1_800, 200) }, (_, n) => visit.chose("first", "pick", `pick_${n % 50}`)),
    ];
    const batches = Array.from({ length: Math.ceil(events.length / 100) }, (_, batch) =>
      eventsRequest(visit, events.slice(batch * 100, batch * 100 + 100)),
    );
    const replies = await sender.sendAll(batches, 1, performance.now() + 180_000);
    return { measured: tallyLine(sender.take()), faults: [...slow(scene, replies), ...unheard(replies)] };
  },
};

const productIds: Attack = {
  name: "product-ids",
  what: "150 requests with 600,000 distinct product ids",
  seconds: 300,
  async run(scene) {
    const { ground, sender } = scene;
    const { victim } = ground;
    const size = await bodySize(scene);
    const perBody = size > 500_000 ? 16 : 4;
    const total = scaled(scene, 600_000, 20_000);
    let made = 0;
    const requests = function* (): Generator<Request> {
      while (made < total) {
        const visit = visitTo(ground, victim.quizzes.short);
        const events = Array.from({ length: perBody }, () => {
          const products = Array.from({ length: 250 }, () => ({ product_id: `${"p".repeat(180)}${made++}` }));
          return visit.shown("result", "block", products);
        });
        yield eventsRequest(visit, events);
      }
    };
    const replies = await sender.sendAll(requests(), 4, performance.now() + 120_000);
    const from = performance.now();
    const answer = await sender.send({
      ...{ method: "GET", path: `/v1/quizzes/${victim.quizzes.short.quiz_id}/analytics/products` },
      headers: { authorization: `Bearer ${victim.key}` },
    });
    const ms = performance.now() - from;
    const memory = await ground.serve.memory();
    return {
      measured: `${tallyLine(sender.take())}; the products' figures then took ${inMs(ms)} (${answer.status}); serve holds ${memory} MB`,
      faults: [
        ...slow(scene, replies),
        ...unheard(replies),
        ...must(
          answer.status === 200 && ms < patience(scene, 3_000),
          `the products' figures took ${inMs(ms)}, ${answer.status}`,
        ),
        ...must(memory < 1_000, `serve holds ${memory} MB`),
      ],
    };
  },
};

const oldEvents: Attack = {
  name: "old-events",
  what: "live events dated 41 days back, and of 1970",
  seconds: 60,
  async run({ ground, sender }) {
    for (const at of [Date.now() - 41 * 86_400_000, 0]) {
      const visit = visitTo(ground, ground.victim.quizzes.short);
      const event = { ...visit.opened(), at: new Date(at).toISOString() };
      const answer = { ...visit.chose("first", "pick", "one"), at: new Date(at + 1_000).toISOString() };
      await sender.send(eventsRequest(visit, [event, answer], { sent_at: new Date().toISOString() }));
    }
    const tally = sender.take();
    const { rows } = await ground.client.query<{ oldest: Date | null }>(
      "SELECT min(opened_at) AS oldest FROM sessions WHERE store_id = $1",
      [ground.victim.uuid],
    );
    const days = (Date.now() - (rows[0]?.oldest?.getTime() ?? Date.now())) / 86_400_000;
    return {
      measured: `${tallyLine(tally)}; the oldest session opened ${days.toFixed(1)} days ago`,
      faults: [
        ...must(days < 4, `a session opened ${days.toFixed(0)} days ago was taken from a browser`),
        ...must(tally.reasons.has("too_old"), "nothing is refused as too_old"),
      ],
    };
  },
};

const channels: Attack = {
  name: "channels",
  what: "20,000 invented channels, campaigns and referrers",
  seconds: 400,
  async run(scene) {
    const { ground, sender } = scene;
    const { victim } = ground;
    const total = scaled(scene, 20_000, 300);
    const requests = Array.from({ length: total }, (_, number) => {
      const utm = Object.fromEntries(
        ["source", "medium", "campaign", "content", "term"].map((of) => [of, `${of}${number}`]),
      );
      const referrer = `https://r${number}.example/`;
      const visit = visitTo(ground, victim.quizzes.short, { channel: `c_${number}`, utm, referrer });
      return eventsRequest(visit, [visit.entered("first", "start")]);
    });
    const replies = await sender.sendAll(requests, 8, performance.now() + 240_000);
    const read = (by: string) =>
      sender.send({
        ...{ method: "GET", path: `/v1/quizzes/${victim.quizzes.short.quiz_id}/analytics/breakdown?by=${by}` },
        headers: { authorization: `Bearer ${victim.key}` },
      });
    const line = tallyLine(sender.take());
    const answer = await read("channel");
    const rows = (JSON.parse(answer.text || "{}") as { rows?: unknown[] }).rows?.length ?? -1;
    const campaigns = await ground.client.query<{ values: number }>(
      "SELECT count(DISTINCT utm_campaign)::integer AS values FROM sessions WHERE store_id = $1",
      [victim.uuid],
    );
    const kept = campaigns.rows[0]?.values ?? 0;
    return {
      measured: `${line}; the breakdown has ${rows} channels in ${inMb(answer.bytes)}, ${inMs(answer.ms)}; ${kept} campaigns kept`,
      faults: [
        ...unheard(replies),
        ...must(rows >= 1 && rows <= 52, `${rows} channels are in the breakdown`),
        ...must(kept <= 5_001, `${kept} campaigns are kept`),
      ],
    };
  },
};

/** Each request in its own session: what a minimal visit stores and triggers, by the thousand. */
const manySessions: Attack = {
  name: "many-sessions",
  what: "5,000 sessions of one event each, due together",
  seconds: 240,
  clockSpeed: 60,
  async run(scene) {
    const { ground, sender } = scene;
    const visits = Array.from({ length: scaled(scene, 5_000, 200) }, () =>
      visitTo(ground, ground.victim.quizzes.short),
    );
    const requests = visits.map((visit) => {
      return eventsRequest(visit, [
        { ...visit.opened(), id: `evt_${randomUUID()}` },
        visit.chose("first", "pick", "one"),
      ]);
    });
    const replies = await sender.sendAll(requests, 16);
    const line = tallyLine(sender.take());
    const due = await until(ground, 1_800 / ground.clockSpeed + 90, visits);
    return {
      measured: `${visits.length} sessions: ${line}; ${due.left} due after ${due.seconds.toFixed(0)} s`,
      faults: [
        ...slow(scene, replies),
        ...unheard(replies),
        ...must(due.left === 0, `${due.left} sessions are still due`),
      ],
    };
  },
};

export const sessionAttacks: readonly Attack[] = [
  heavySessions,
  longSession,
  blankPhones,
  finishes,
  productIds,
  oldEvents,
  channels,
  manySessions,
];
