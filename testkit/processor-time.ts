/** ms of this thread's processor time, the least of several runs: others on the machine do not add to it. */
export function bestOf(runs: number, work: () => unknown): number {
  const times = Array.from({ length: runs }, () => {
    const before = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  });
  return Math.min(...times);
}
