import { setImmediate } from "node:timers/promises";

/** EIO: the terminal was closed. */
const readerGone = new Set<string | undefined>(["EPIPE", "EIO"]);

/**
 * Keeps a command from failing because the reader of its output leaves first, as `head` does: what was not read is lost
 * [command-line.reader].
 * @returns settles what went wrong otherwise so far, such as a full disk; null: nothing
 */
export function watchOutput(streams: readonly NodeJS.WritableStream[]): () => Promise<Error | null> {
  let failure: Error | null = null;
  for (const stream of streams) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (!readerGone.has(error.code)) failure ??= error;
    });
  }
  return async () => {
    // a stream reports a failed write in the turn after it
    await setImmediate();
    return failure;
  };
}
