import type { Random } from "../demo/random.ts";
import { order } from "../journeys/shopify.ts";
import type { Visit } from "../journeys/visit.ts";
import { eventsRequest, type Request, signedRequest, visitTo } from "./attack-send.ts";
import type { Ground } from "./attack-world.ts";

/** The requests of an attacker who does everything at once: those of the scripted attacks. */

type Makers = Record<string, () => Request>;

/** One growing session, and one with waiting finishes; restarted now and then. */
function longOnes({ ground, random }: Mix): Makers {
  const { short, branching } = ground.victim.quizzes;
  const begun = { heavy: visitTo(ground, short), waiting: visitTo(ground, branching) };
  const turned = (name: keyof typeof begun): Visit => {
    if (random.chance(0.02)) begun[name] = visitTo(ground, name === "heavy" ? short : branching);
    return begun[name];
  };
  const times = <T>(length: number, make: (at: number) => T): T[] => Array.from({ length }, (_, at) => make(at));
  const products = () => times(250, (position) => ({ product_id: `${"p".repeat(150)}${random.hex(8)}`, position }));
  const on = (name: keyof typeof begun, make: (visit: Visit) => ReturnType<Visit["event"]>[]) => {
    return () => {
      const visit = turned(name);
      return eventsRequest(visit, make(visit));
    };
  };
  const blank = `+49 110${" ".repeat(240)}`;
  return {
    "products shown": on("heavy", (visit) => times(random.int(1, 5), () => visit.shown("result", "block", products()))),
    "an answer to a heavy session": on("heavy", (visit) => [visit.chose("first", "pick", "one")]),
    finishes: on("waiting", (visit) => times(50, (at) => visit.finished(`page_${at * 3}`))),
    "answers before finishes": on("waiting", (visit) =>
      times(80, (at) => visit.chose("first", "pick", `pick_${at % 50}`)),
    ),
    phones: on("waiting", (visit) => times(40, (at) => visit.wrote("first", `tel_${at % 20}`, blank))),
  };
}

/** Each request in its own session. */
function shortOnes({ ground, random }: Mix): Makers {
  const { short, numbers } = ground.victim.quizzes;
  const typed = (value: number): Request => {
    const visit = visitTo(ground, numbers);
    const story = visit.wrote("first", "story", ";=1+1\t=2");
    return eventsRequest(visit, [visit.wrote("first", "free", value), story, visit.finished("result")]);
  };
  const dated = (ago: number): Request => {
    const visit = visitTo(ground, short);
    const event = { ...visit.opened(), at: new Date(Date.now() - ago).toISOString() };
    return eventsRequest(visit, [event], { sent_at: new Date().toISOString() });
  };
  const contacts = (): Request => {
    const visit = visitTo(ground, short);
    const mail = visit.wrote("contact", "mail", `${random.int(1, 30)}@example.com`, true);
    return eventsRequest(visit, [mail, visit.wrote("contact", "tel", `+4930${random.int(1_000_000, 9_000_000)}`)]);
  };
  const invented = (): Request => {
    const named = { channel: `c_${random.int(1, 1_000_000)}`, utm: { campaign: random.hex(16) } };
    const visit = visitTo(ground, short, { ...named, referrer: `https://${random.hex(8)}.example/` });
    return eventsRequest(visit, [visit.entered("first", "start"), visit.chose("first", "pick", "two")]);
  };
  return {
    numbers: () => typed(random.pick([0, 5e-324, 1e300, 1e16, -1e12, 1e12])),
    "old events": () => dated(random.pick([41 * 86_400_000, 1.7e12, 70 * 3_600_000])),
    contacts,
    "invented channels": invented,
  };
}

function otherRoutes({ ground, random }: Mix): Makers {
  const { victim } = ground;
  const large = `/storefront/v1/quizzes/${victim.quizzes.large.quiz_id}?store=${victim.publishableKey}`;
  const bogus = { ...victim, commerceSecret: "wrong" };
  const enormous = () => order({ at: Date.now(), total: "922337203685478.00", id: random.int(1, 50) });
  const brackets = () => random.pick(["[", "[],", '{"":']).repeat(250_000);
  return {
    brackets: () => ({ method: "POST", path: "/storefront/v1/events", body: brackets() }),
    "a large document": () => ({ method: "GET", path: large }),
    "bogus orders": () => signedRequest(bogus, "orders/create", "x".repeat(1_000_000)),
    "enormous orders": () => signedRequest(victim, "orders/create", enormous()),
    "keys that are none": () => {
      const headers = { authorization: `Bearer svc_live_${random.hex(32)}` };
      return { method: "GET", path: `/v1/profiles/prof_${random.hex(32)}`, headers };
    },
  };
}

export interface Mix {
  ground: Pick<Ground, "url" | "victim">;
  random: Random;
}

/** Requests of all kinds, in random order. */
export function* mixed(mix: Mix): Generator<Request> {
  const scripted = Object.entries({ ...longOnes(mix), ...shortOnes(mix), ...otherRoutes(mix) });
  for (;;) {
    const [label, make] = mix.random.pick(scripted);
    yield { ...make(), label };
  }
}
