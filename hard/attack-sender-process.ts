import { setPriority } from "node:os";
import { createRandom } from "../demo/random.ts";
import { mixed } from "./attack-mix.ts";
import { Sender } from "./attack-send.ts";
import type { AttackedShop } from "./attack-world.ts";

/**
 * The attacker of the `whole` attack, as a low-priority process: a real one runs on its own machine, and takes no
 * processor time from the program.
 */

export interface AttackPlan {
  url: string;
  victim: AttackedShop;
  seed: string;
  connections: number;
  from: string;
  ms: number;
}

async function attack({ url, victim, seed, connections, from, ms }: AttackPlan): Promise<void> {
  setPriority(19);
  const sender = new Sender(url, { connections, from });
  const requests = mixed({ ground: { url, victim }, random: createRandom(seed) });
  await sender.sendOn(requests, connections, performance.now() + ms);
  await sender.close();
  process.send?.(sender.take());
}

process.once("message", (plan) => void attack(plan as AttackPlan));
process.on("disconnect", () => process.exit());
