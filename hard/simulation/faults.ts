import type { Damage } from "./fragile.ts";
import { WorkerProcess } from "./worker.ts";
import type { World } from "./world.ts";

/** What breaks: processes, connections, the limiter, the copies. */

/** A connection to the database will be lost soon: before a statement, or after a commit whose answer nobody hears. */
export function troubleAhead(world: World): void {
  const { steps } = world.draws;
  const kind = steps.chance(0.6) ? "before" : "after_commit";
  const life = steps.chance(0.7) ? world.life : world.worker.life;
  life.trouble = { kind, left: steps.int(1, 25) };
}

/** The worker dies: at once, or in the middle of what it does next. Another takes its place. */
export async function crash(world: World, next: () => Promise<void>): Promise<void> {
  const { steps } = world.draws;
  if (steps.chance(0.7)) {
    world.worker.life.left = steps.int(1, 60);
    await next();
  }
  world.worker.kill();
  world.worker = new WorkerProcess(world);
}

/** A worker that is asked to stop gives back what it has. */
export async function restartWorker(world: World): Promise<void> {
  world.worker.life.trouble = null;
  await world.worker.stop();
  world.worker = new WorkerProcess(world);
}

export async function hurtCopies(world: World): Promise<void> {
  const damage = world.draws.steps.pick<Damage>(["none", "none", "deleted", "cut", "overwritten"]);
  await world.facts.restart(damage);
}
