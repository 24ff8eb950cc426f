/** Watches the turns of this thread's event loop during some work. */
export interface Turns {
  /** ms of processor time of the longest one */
  longest: number;
}

export async function turnsOf(work: () => Promise<unknown>): Promise<Turns> {
  const turns = { longest: 0 };
  let isDone = false;
  let before = process.threadCpuUsage();
  const look = (): void => {
    const { user, system } = process.threadCpuUsage(before);
    turns.longest = Math.max(turns.longest, (user + system) / 1_000);
    before = process.threadCpuUsage();
    if (!isDone) setImmediate(look);
  };
  setImmediate(look);
  await work();
  isDone = true;
  // the turn in which it ended counts too
  await new Promise((resolve) => setImmediate(resolve));
  return turns;
}
