import type { Damage } from "./fragile.ts";
import { WorkerProcess } from "./worker.ts";
import type { World } from "./world.ts";

/** Faults: of processes, connections, the limiter, the copies. */

/**
 * A connection to the database will soon be lost: before a statement, or after a commit whose answer does not arrive.
 */
export function troubleAhead(world: World): void {
  const { steps } = world.draws;
  const kind = steps.chance(0.6) ? "before" : "after_commit";
  const life = steps.chance(0.7) ? world.life : world.worker.life;
  life.trouble = { kind, left: steps.int(1, 25) };
}

/** Kills the worker: at once, or in the middle of its next work. A new one replaces it. */
export async function crash(world: World, next: () => Promise<void>): Promise<void> {
  const { steps } = world.draws;
  if (steps.chance(0.7)) {
    world.worker.life.left = steps.int(1, 60);
    await next();
  }
  world.worker.kill();
  world.worker = new WorkerProcess(world);
}

/** Stops a worker gracefully: it gives its work back. */
export async function restartWorker(world: World): Promise<void> {
  world.worker.life.trouble = null;
  await world.worker.stop();
  world.worker = new WorkerProcess(world);
}

export async function hurtCopies(world: World): Promise<void> {
  const damage = world.draws.steps.pick<Damage>(["none", "none", "deleted", "cut", "overwritten"]);
  await world.facts.restart(damage);
}
