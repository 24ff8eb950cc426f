import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import type S3rver from "s3rver";
import { freePort } from "../testkit/machine.ts";
import type { Settings } from "./program.ts";

/** A storage with S3's protocol, on its own port; its only bucket is in a folder. */
export interface Storage {
  /** The settings with which a process uses it. */
  settings: Settings;
  /** Number of uploads requested so far. */
  puts: () => number;
  /** Holds back all uploads until `release`. */
  hold: () => void;
  release: () => void;
  /** Stops answering at its port until `open`. */
  close: () => Promise<void>;
  open: () => Promise<void>;
}

const bucket = "exports";

export async function openStorage(folder: string): Promise<Storage> {
  // loaded here, because loading it requires the old, global way to end a process
  const Server = createRequire(import.meta.url)("s3rver") as typeof S3rver;
  const directory = join(folder, "s3");
  const s3 = new Server({ directory, silent: true, vhostBuckets: false, configureBuckets: [{ name: bucket }] });
  await s3.configureBuckets();
  const answer = s3.callback();
  const port = await freePort();
  let server: Server | null = null;
  let gate = Promise.withResolvers<void>();
  gate.resolve();
  let puts = 0;
  const open = async (): Promise<void> => {
    const opened = createServer((request, response) => {
      if (request.method !== "PUT") return answer(request, response);
      puts += 1;
      void gate.promise.then(() => answer(request, response));
    });
    server = opened;
    await new Promise<void>((resolve) => opened.listen(port, "127.0.0.1", resolve));
  };
  await open();
  return {
    settings: {
      EXPORT_STORAGE: `s3://${bucket}/files`,
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
      AWS_REGION: "us-east-1",
      // the credentials that it accepts
      AWS_ACCESS_KEY_ID: "S3RVER",
      AWS_SECRET_ACCESS_KEY: "S3RVER",
    },
    puts: () => puts,
    hold: () => {
      gate = Promise.withResolvers<void>();
    },
    release: () => gate.resolve(),
    open,
    close: async () => {
      const closing = server;
      closing?.closeAllConnections();
      await new Promise((resolve) => closing?.close(resolve));
    },
  };
}
