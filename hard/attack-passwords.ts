import { setTimeout as pause } from "node:timers/promises";
import { newId } from "../journeys/visit.ts";
import { idleRate, spend } from "./attack-fixed.ts";
import { type Attack, inMs, median, must, patience, type Scene, scaled } from "./attack-script.ts";
import { nextAddress, type Reply, type Request, Sender, tallyLine } from "./attack-send.ts";

/** Tries passwords, each of which is hashed slowly on purpose. */

const guess = (): Request => ({
  ...{ method: "POST", path: "/dashboard/api/sign-in", headers: { "sec-fetch-site": "same-origin" } },
  body: JSON.stringify({ email: `${newId("m")}@example.com`, password: newId("p") }),
});

/** Wrong passwords that an address may try at once, and per second [accounts.guessing]. */
const allowed = { atOnce: 30, perSecond: 1 / 10 };
/** for a hash, on a machine with other load */
const hashMs = 500;
/** share of a processor that refusals may take */
const refusalShare = 0.3;

/** People who sign in from a new address each time, once a second. */
async function others({ ground }: Scene, until: () => boolean): Promise<Reply[]> {
  const replies: Reply[] = [];
  while (!until()) {
    const sender = new Sender(ground.url, { connections: 1, from: nextAddress() });
    replies.push(await sender.send(guess()));
    await sender.close();
    await pause(1_000);
  }
  return replies;
}

const passwords: Attack = {
  name: "passwords",
  what: "passwords tried from one address on sixteen connections, as fast as they are answered",
  seconds: 200,
  async run(scene) {
    const { ground } = scene;
    const ms = scaled(scene, 60_000, 10_000);
    const idle = await idleRate(ground, 3_000);
    let over = false;
    const watched = others(scene, () => over);
    const { tally, processorMs } = await spend(ground, { next: guess, connections: 16, ms, idle });
    over = true;
    const waits = (await watched).map((reply) => reply.ms);
    const refused = (await watched).filter(({ status }) => status !== 401);
    const hashed = tally.statuses.get(401) ?? 0;
    const most = allowed.atOnce + Math.ceil((ms / 1_000) * allowed.perSecond) + 1;
    const slowest = Math.max(...waits);
    return {
      measured: `${hashed} hashed, ${(processorMs / 1_000).toFixed(1)} s of processor time in ${ms / 1_000} s; sign-ins from ${waits.length} other addresses ${inMs(median(waits))}, slowest ${inMs(slowest)}; ${tallyLine(tally)}`,
      faults: [
        ...must(hashed <= most, `${hashed} passwords were hashed for one address, at most ${most}`),
        ...must(
          processorMs < (hashed + waits.length) * hashMs + refusalShare * ms,
          `one address took ${inMs(processorMs)} of processor time in ${ms} ms`,
        ),
        ...must(refused.length === 0, `${refused.length} sign-ins from other addresses were refused`),
        ...must(slowest < patience(scene, 3_000), `a sign-in from another address took ${inMs(slowest)}`),
      ],
    };
  },
};

export const passwordAttacks: readonly Attack[] = [passwords];
