import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { access, chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ask, freePort, until } from "./demo-program.ts";
import type { FrontProxy } from "./proxy-configs.ts";

/** Runs a proxy in a folder of its own. */

const run = promisify(execFile);

export async function isInstalled(program: string): Promise<boolean> {
  const found = (process.env["PATH"] ?? "")
    .split(":")
    .concat("/usr/sbin")
    .map((folder) =>
      access(join(folder, program)).then(
        () => true,
        () => false,
      ),
    );
  return (await Promise.all(found)).includes(true);
}

export async function within<T>(proxy: FrontProxy, upstream: number, work: (url: string) => Promise<T>): Promise<T> {
  const place = { folder: await mkdtemp(join(tmpdir(), "quizstore-proxy-")), port: await freePort(), upstream };
  // some give up their rights
  await chmod(place.folder, 0o755);
  for (const [name, text] of Object.entries(proxy.files(place))) await writeFile(join(place.folder, name), text);
  const env = {
    PATH: `${process.env["PATH"]}:/usr/sbin`,
    HOME: place.folder,
    XDG_CONFIG_HOME: place.folder,
    ...proxy.env?.(place),
  };
  const child: ChildProcess = spawn(proxy.program, [...proxy.command(place)], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (text) => (said = (said + text).slice(-4_000)));
  const exited = once(child, "exit");
  try {
    const url = `http://127.0.0.1:${place.port}`;
    const ready = async () => ((await ask(`${url}/healthz`)).status === 200 ? true : undefined);
    await until(proxy.name, ready, 30).catch((error: Error) => {
      throw new Error(`${error.message}: ${said}`);
    });
    return await work(url);
  } finally {
    child.kill("SIGTERM");
    await exited;
    await rm(place.folder, { recursive: true, force: true });
  }
}

export async function versionOf({ program, version }: FrontProxy): Promise<string> {
  const env = { PATH: `${process.env["PATH"]}:/usr/sbin` };
  const { stdout, stderr } = await run(program, [...version], { env });
  return (stdout + stderr).split("\n")[0] ?? "";
}
