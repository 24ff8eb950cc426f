import { Session } from "node:inspector/promises";

export interface BlockCounter {
  /** how often blocks of the functions run during some work: the same number on every machine, where times differ */
  count(work: () => unknown): Promise<number>;
  close(): Promise<void>;
}

/**
 * Only functions that are compiled after this are counted block by block, so modules are to be imported after it.
 *
 * @param folders whose functions are counted, such as `/engine/`
 */
export async function openBlockCounter(...folders: readonly string[]): Promise<BlockCounter> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  const take = async (): Promise<number> => {
    const { result } = await session.post("Profiler.takePreciseCoverage");
    const own = result.filter(({ url }) => folders.some((folder) => url.includes(folder)) && !url.includes(".test."));
    return own
      .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges))
      .reduce((sum, { count }) => sum + count, 0);
  };
  return {
    count: async (work) => {
      await take();
      await work();
      return take();
    },
    close: async () => {
      await session.post("Profiler.stopPreciseCoverage");
      session.disconnect();
    },
  };
}
