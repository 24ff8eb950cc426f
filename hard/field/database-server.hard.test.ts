import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startDebianPostgres } from "../../journeys/debian-postgres.ts";
import { run } from "../../journeys/program.ts";
import { certificateFor } from "../../testkit/certificate.ts";

/**
 * Debian's PostgreSQL as it is found: other encodings, other formats of dates, a user who owns nothing, TLS; next to
 * what psql does with the same address. By hand: npm test -- --suite hard/field/database-server.hard.test.ts
 */

const { cert, key } = certificateFor("localhost");
const postgres = await startDebianPostgres(
  { ssl: "on", ssl_cert_file: "server.crt", ssl_key_file: "server.key" },
  { "server.crt": cert, "server.key": key },
);

let data: string;
let root: string;
let admin: pg.Client;
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), "quizstore-server-"));
  root = join(data, "root.crt");
  await writeFile(root, cert);
  admin = new pg.Client({ connectionString: postgres?.url("postgres") });
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await postgres?.stop();
  await rm(data, { recursive: true, force: true });
});

const quizstore = (url: string, ...args: string[]) =>
  run([...args, "--data", data], { DATABASE_URL: url, SECRET_KEY: "a key of this test, of more than 32 letters" });
const url = (database: string) => postgres?.url(database) ?? "";

describe.skipIf(!postgres)("a PostgreSQL", () => {
  it.each(["LATIN1", "SQL_ASCII"])(
    "whose database is in %s is refused, with the command that makes another",
    async (encoding) => {
      const name = encoding.toLowerCase();
      await admin.query(`CREATE DATABASE ${name} ENCODING '${encoding}' LOCALE 'C' TEMPLATE template0`);
      const migrated = await quizstore(url(name), "migrate");
      expect([migrated.status, migrated.stderr]).toEqual([
        1,
        expect.stringContaining(`the database is in ${encoding}`),
      ]);
      const { stdout } = await quizstore(url(name), "doctor");
      expect(stdout).toMatch(/^FAIL connection: the database is in .*\n.*ENCODING 'UTF8' TEMPLATE template0/m);
    },
  );

  it("whose defaults are of another country works", async () => {
    await admin.query("CREATE DATABASE abroad");
    for (const setting of ["DateStyle = 'SQL, DMY'", "IntervalStyle = sql_standard", "TimeZone = 'Asia/Kathmandu'"])
      await admin.query(`ALTER DATABASE abroad SET ${setting}`);
    expect(await quizstore(url("abroad"), "migrate")).toMatchObject({ status: 0, stderr: "" });
    const made = await quizstore(
      url("abroad"),
      "store",
      "create",
      "--name",
      "Ñandú ж 漢",
      "--shop-domain",
      "a.myshopify.com",
      "--plan",
      "plus",
      ...["--timezone", "UTC", "--currency", "EUR"],
    );
    expect(made).toMatchObject({ status: 0, stderr: "" });
    expect((await quizstore(url("abroad"), "store", "list")).stdout).toContain("Ñandú ж 漢");
  });

  it("in which the user may create nothing says so instead of asking for a migration", async () => {
    await admin.query("CREATE ROLE narrow LOGIN");
    await admin.query("CREATE DATABASE narrow");
    const address = url("narrow").replace("quizstore@", "narrow@");
    const { stdout } = await quizstore(address, "doctor");
    expect(stdout).toMatch(/^FAIL migrations: narrow may not create tables in the schema public\n.*GRANT CREATE/m);
    expect((await quizstore(address, "migrate")).stderr).toContain("GRANT CREATE ON SCHEMA public TO narrow");
    await admin.query("ALTER DATABASE narrow OWNER TO narrow");
    expect(await quizstore(address, "migrate")).toMatchObject({ status: 0, stderr: "" });
  });

  it("is reached and refused by every sslmode as psql is", async () => {
    await admin.query("CREATE DATABASE encrypted");
    await quizstore(url("encrypted"), "migrate");
    const seen: [string, boolean, boolean][] = [];
    for (const [host, query] of [
      ...["", "?sslmode=disable", "?sslmode=allow", "?sslmode=prefer", "?sslmode=require", "?sslmode=verify-full"],
      `?sslmode=verify-ca&sslrootcert=${root}`,
      `?sslmode=verify-full&sslrootcert=${root}`,
      `?sslmode=require&sslrootcert=${root}`,
    ].flatMap((query) => ["localhost", "127.0.0.1"].map((host) => [host, query] as const))) {
      const address = `${url("encrypted").replace("127.0.0.1", host)}${query}`;
      const ours = (await quizstore(address, "migrate")).status === 0;
      const theirs = await promisify(execFile)("psql", ["-Atc", "SELECT 1", address]).then(
        () => true,
        () => false,
      );
      seen.push([`${host}${query}`, ours, theirs]);
    }
    expect(seen.filter(([, ours, theirs]) => ours !== theirs)).toEqual([]);
    const { stdout } = await quizstore(`${url("encrypted")}?sslmode=require`, "doctor");
    expect(stdout).toMatch(/^ok {3}connection: encrypted with TLSv1.3, the server's certificate not checked$/m);
  });

  it("warns of nothing on standard error, which is for the log's lines", async () => {
    for (const mode of ["prefer", "require"]) {
      expect((await quizstore(`${url("encrypted")}?sslmode=${mode}`, "store", "list")).stderr).toBe("");
    }
  });
});
