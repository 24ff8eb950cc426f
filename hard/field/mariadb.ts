import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { sayAbsent } from "./recipe-cells.ts";

const run = promisify(execFile);

/** A MariaDB server of Debian's package in the folder; null, with a line that says so, if the package is absent. */
export async function openMariaDb(folder: string) {
  const [data, socket] = [join(folder, "mariadb"), join(folder, "mariadb.sock")];
  // Debian's own settings name another socket, but one's own come after them
  await writeFile(join(folder, ".my.cnf"), `[client]\nsocket=${socket}\n`);
  const env = { HOME: folder };
  const common = ["--no-defaults", `--datadir=${data}`, "--user=root"];
  try {
    await run("mariadb-install-db", [...common, "--auth-root-authentication-method=normal"]);
  } catch (error) {
    sayAbsent(error as Error);
    return null;
  }
  const more = [`--socket=${socket}`, "--skip-networking", "--local-infile=1"];
  const server = spawn("/usr/sbin/mariadbd", [...common, ...more], { stdio: "ignore" });
  const close = async () => {
    server.kill();
    if (server.exitCode === null) await once(server, "exit");
  };
  const isUp = () =>
    run("mariadb", ["-e", "SELECT 1"], { env: { ...process.env, ...env } }).then(
      () => true,
      () => false,
    );
  for (let tries = 0; !(await isUp()); tries += 1) {
    if (tries === 200 || server.exitCode !== null) throw new Error("MariaDB did not start");
    await pause(300);
  }
  return { env, close };
}
