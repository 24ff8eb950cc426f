import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { access, chown, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { freePort } from "../testkit/machine.ts";
import { patience } from "../testkit/slowness.ts";

/** A server of Debian's PostgreSQL, with the tools that the embedded package lacks: pg_dump, pg_restore. */
export interface DebianPostgres {
  url: (database: string) => string;
  /** Runs one of its programs against the server, such as pg_dump; fails unless it succeeds. */
  tool: (name: string, ...args: string[]) => Promise<void>;
  stop: () => Promise<void>;
}

const packaged = "/usr/lib/postgresql";

async function newestPrograms(): Promise<string | null> {
  const versions = (await readdir(packaged).catch(() => [])).map(Number).sort((a, b) => b - a);
  for (const version of versions) {
    const bin = join(packaged, String(version), "bin");
    const all = await Promise.all(
      ["initdb", "postgres", "pg_dump", "pg_restore"].map((name) =>
        access(join(bin, name)).then(
          () => true,
          () => false,
        ),
      ),
    );
    if (all.every(Boolean)) return bin;
  }
  return null;
}

/**
 * Null if the package is not installed; an error if CI=true, so that nothing is skipped there unnoticed.
 *
 * @param files written into its folder, for settings that name a file in it
 */
export async function startDebianPostgres(
  more: Readonly<Record<string, string>> = {},
  files: Readonly<Record<string, string>> = {},
): Promise<DebianPostgres | null> {
  const bin = await newestPrograms();
  if (bin === null) {
    const reason = "Debian's PostgreSQL is not installed (apt-get install postgresql)";
    if (process.env["CI"] === "true") throw new Error(`${reason}; CI needs it`);
    process.stderr.write(`Dumping and restoring a server's database is not tested: ${reason}\n`);
    return null;
  }
  const folder = await mkdtemp(join(tmpdir(), "quizstore-debian-"));
  // PostgreSQL refuses to run as root
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : null;
  if (nobody) await chown(folder, nobody.uid, nobody.gid);
  const account = nobody ?? {};
  const [data, port] = [join(folder, "data"), await freePort()];
  const exec = async (name: string, args: readonly string[]): Promise<void> => {
    const child = spawn(join(bin, name), args, { stdio: ["ignore", "ignore", "pipe"], ...account });
    const said = textOf(child);
    const [status] = (await once(child, "close")) as [number | null];
    if (status !== 0) throw new Error(`${name}: ${status}\n${said()}`);
  };
  await exec("initdb", ["-D", data, "-U", "quizstore", "-A", "trust", "-E", "UTF8", "--locale", "C.UTF-8", "-N"]);
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(data, name), text, { mode: 0o600 });
    if (nobody) await chown(join(data, name), nobody.uid, nobody.gid);
  }
  const settings = { listen_addresses: "127.0.0.1", port, unix_socket_directories: folder, fsync: "off", ...more };
  const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const server = spawn(join(bin, "postgres"), ["-D", data, ...args], {
    stdio: ["ignore", "ignore", "pipe"],
    ...account,
  });
  const said = textOf(server);
  const exited = once(server, "close");
  const url = (database: string) => `postgres://quizstore@127.0.0.1:${port}/${database}`;
  await untilItAnswers(url("postgres"), server, said);
  return {
    url,
    tool: (name, ...more) => exec(name, ["-h", "127.0.0.1", "-p", String(port), "-U", "quizstore", ...more]),
    stop: async () => {
      server.kill("SIGINT");
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function textOf(child: ChildProcess): () => string {
  let text = "";
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  return () => text;
}

async function untilItAnswers(connectionString: string, server: ChildProcess, said: () => string): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const client = new pg.Client({ connectionString });
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (server.exitCode !== null || tries > 200 * patience)
        throw new Error(`did not start: ${said()}`, { cause: error });
      await pause(50);
    }
  }
}
