import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../testkit/database.ts";
import { openEncryptingProxy } from "../../../testkit/encrypting-proxy.ts";
import { withClient } from "../../../testkit/nodes.ts";
import { openPooler, type PoolerOptions } from "../../../testkit/pooler.ts";
import { databaseUrl } from "../../../testkit/real-processes.ts";
import { timed } from "../../../testkit/timed.ts";
import { Deadlines } from "../deadline.ts";
import { openLog } from "../log.ts";
import { OperatorError } from "../operator-error.ts";
import { Database } from "./database.ts";
import { isShared, meetServer, suitableServer, unsuitable } from "./external-server.ts";
import { migrate } from "./migrate.ts";
import { sql } from "./sql.ts";

const log = openLog("silent", { write: () => undefined });
let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase(log);
});
afterAll(() => test.close());

const at = (port: number) => ({ ...test.connection, host: "127.0.0.1", port });

async function pooled(options: PoolerOptions = {}): Promise<pg.ClientConfig> {
  const pooler = await openPooler(test.connection, options);
  onTestFinished(() => pooler.close());
  return at(pooler.port);
}

describe("a pooler in session mode in front of the database", () => {
  it("is told from the database itself, and suits [operations.database-suits]", async () => {
    expect((await meetServer(databaseUrl(test.connection))).pooler).toBe("none");
    const server = await suitableServer(databaseUrl(await pooled()));
    expect(server).toMatchObject({ pooler: "session", encryption: null, encoding: "UTF8" });
  });

  it("is sent no startup parameters that it refuses; time-outs hold all the same [database.session]", async () => {
    const connection = await pooled();
    expect(await migrate(connection, [])).toEqual([]);
    const database = new Database({ connection, size: 2, log });
    onTestFinished(() => database.close());
    const [row] = await database.reader().all(sql<{ ms: string }>`SELECT current_setting('statement_timeout') AS ms`);
    expect(row?.ms).toBe("30s");
  });

  it("passes on cancels, by the key that it gave [api.request-time]", async () => {
    const database = new Database({ connection: await pooled(), size: 1, log });
    onTestFinished(() => database.close());
    const deadlines = new Deadlines(() => performance.now());
    onTestFinished(() => deadlines.stop());
    const sleeping = deadlines.within(200, (deadline) => database.reader(deadline).all(sql`SELECT pg_sleep(21)`));
    // a connection whose statement could not be cancelled is given up after five seconds
    const { ranMs } = await timed(() => expect(sleeping).rejects.toMatchObject({ title: "timeout" }));
    expect(ranMs).toBeLessThan(4_000);
    const underWay = () =>
      withClient(
        test.connection,
        async (client) =>
          (
            await client.query(
              "SELECT pid FROM pg_stat_activity WHERE query LIKE '%pg_sleep(21)%' AND pid <> pg_backend_pid() AND state = 'active'",
            )
          ).rows,
      );
    await expect.poll(underWay).toEqual([]);
  });

  it("whose pool is in use is away, and does not keep a caller waiting for minutes [api.dependencies]", async () => {
    const connection = { ...(await pooled({ size: 1 })), connectionTimeoutMillis: 500 };
    const database = new Database({ connection, size: 2, log });
    onTestFinished(() => database.close());
    const holder = await database.dedicated();
    const { ranMs } = await timed(() =>
      expect(database.reader().all(sql`SELECT 1`)).rejects.toMatchObject({ title: "dependency_unavailable" }),
    );
    expect(ranMs).toBeLessThan(3_000);
    holder.release();
    expect(await database.reader().all(sql`SELECT 1 AS one`)).toEqual([{ one: 1 }]);
  });
});

describe("a server that does not suit is refused with what to do [operations.database-suits]", () => {
  it("behind a pooler that shares connections", async () => {
    const refused = suitableServer(databaseUrl(await pooled({ shared: true })));
    await expect(refused).rejects.toThrow(/transaction or statement mode: .*pool_mode = session/);
    await expect(refused).rejects.toBeInstanceOf(OperatorError);
  });

  it("whichever of two connections was given which of the server's", () => {
    expect(isShared(new Set([1]), new Set([2]))).toBe(false);
    expect(isShared(new Set([1, 3]), new Set([2]))).toBe(true);
    expect(isShared(new Set([1]), new Set([2, 3]))).toBe(true);
    expect(isShared(new Set([1]), new Set([1]))).toBe(true);
  });

  it.each(["LATIN1", "SQL_ASCII"])("with a database in %s", async (encoding) => {
    const name = `quizstore_${encoding.toLowerCase()}_${process.pid}`;
    const postgres = inject("postgres");
    await withClient(postgres, (admin) =>
      admin.query(`CREATE DATABASE ${name} ENCODING '${encoding}' LOCALE 'C' TEMPLATE template0`),
    );
    onTestFinished(() => withClient(postgres, async (admin) => void (await admin.query(`DROP DATABASE ${name}`))));
    const refused = suitableServer(databaseUrl({ ...postgres, database: name }));
    await expect(refused).rejects.toThrow(`in ${encoding}, which cannot store every script: create one in UTF-8`);
  });

  it("of a version before 15", async () => {
    const found = { version: 14, encoding: "UTF8", pooler: "none", encryption: null } as const;
    expect(unsuitable(found)).toEqual({ what: "PostgreSQL 14 is too old", remedy: "run PostgreSQL 15 or newer" });
    expect(unsuitable({ ...found, version: 15 })).toBeNull();
  });

  it("where the user may create no tables", async () => {
    const [role, name] = [`creates_nothing_${process.pid}`, `quizstore_narrow_${process.pid}`];
    const postgres = inject("postgres");
    await withClient(postgres, async (admin) => {
      await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD 'narrow'`);
      await admin.query(`CREATE DATABASE ${name} TEMPLATE template0`);
    });
    onTestFinished(() =>
      withClient(postgres, async (admin) => {
        await admin.query(`DROP DATABASE ${name}`);
        await admin.query(`DROP ROLE ${role}`);
      }),
    );
    const connection = { ...postgres, user: role, password: "narrow", database: name };
    const one = { number: 1, name: "first", sql: "SELECT 1", checksum: "1", oldestProgram: 0, transactional: true };
    await expect(migrate(connection, [one])).rejects.toThrow(
      `${role} may not create tables in the schema public: as its owner: GRANT CREATE ON SCHEMA public TO ${role}`,
    );
  });
});

describe("what a connection sets for itself [database.session]", () => {
  it("holds whatever the database's own defaults are", async () => {
    const own = await openTestDatabase(log);
    onTestFinished(() => own.close());
    const { database: name } = own.connection;
    await withClient(own.connection, async (admin) => {
      for (const [setting, value] of [
        ["DateStyle", "'SQL, DMY'"],
        ["IntervalStyle", "sql_standard"],
        ["TimeZone", "'Asia/Kathmandu'"],
        ["bytea_output", "escape"],
        ["extra_float_digits", "-15"],
        ["client_encoding", "'LATIN1'"],
        ["standard_conforming_strings", "off"],
        ["transform_null_equals", "on"],
        ["default_transaction_isolation", "'serializable'"],
        ["statement_timeout", "'1h'"],
      ])
        await admin.query(`ALTER DATABASE ${name} SET ${setting} = ${value}`);
    });
    const database = new Database({ connection: own.connection, size: 1, log });
    onTestFinished(() => database.close());
    const at = new Date("2026-03-04T05:06:07.089Z");
    const [row] = await database.reader().all(sql<Record<string, unknown>>`
      SELECT ${at}::timestamptz AS at, ${"2026-03-04"}::date AS day, 0.1::float8 + 0.2::float8 AS sum,
        ${Buffer.from("a\\b")}::bytea AS bytes, ${"ü ж 漢 \\n"}::text AS text, '\\' AS slash, NULL = NULL AS is_null,
        current_setting('transaction_isolation') AS isolation, current_setting('statement_timeout') AS time_out`);
    expect(row).toEqual({
      ...{ at, day: "2026-03-04", sum: 0.1 + 0.2, bytes: Buffer.from("a\\b"), text: "ü ж 漢 \\n" },
      ...{ slash: "\\", is_null: null, isolation: "read committed", time_out: "30s" },
    });
  });
});

describe("encryption of the connection [operations.database-encryption]", () => {
  const encrypting = async () => {
    const proxy = await openEncryptingProxy(test.connection);
    onTestFinished(() => proxy.close());
    const folder = await mkdtemp(join(tmpdir(), "quizstore-roots-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const root = join(folder, "root.crt");
    await writeFile(root, proxy.certificate.cert);
    const url = (query: string, host = "localhost") =>
      `${databaseUrl({ ...test.connection, host, port: proxy.port })}${query}`;
    return { url, root: encodeURIComponent(root) };
  };

  it("is what sslmode asks for, as in PostgreSQL's own programs", async () => {
    const { url, root } = await encrypting();
    const unchecked = { protocol: "TLSv1.3", verified: false };
    const checked = { ...unchecked, verified: true };
    const met = async (query: string, host?: string) => (await meetServer(url(query, host))).encryption;
    expect(await met("")).toEqual(unchecked);
    for (const mode of ["allow", "prefer", "require", "no-verify"])
      expect(await met(`&sslmode=${mode}`)).toEqual(unchecked);
    for (const mode of ["require", "verify-ca", "verify-full"])
      expect(await met(`&sslmode=${mode}&sslrootcert=${root}`)).toEqual(checked);
    // the certificate is for another name
    expect(await met(`&sslmode=verify-ca&sslrootcert=${root}`, "127.0.0.1")).toEqual(checked);
    const untrusted = /certificate is not trusted.*sslrootcert/;
    await expect(met(`&sslmode=verify-full&sslrootcert=${root}`, "127.0.0.1")).rejects.toThrow(untrusted);
    await expect(met("&sslmode=verify-full")).rejects.toThrow(untrusted);
    await expect(met("&sslmode=verify-full&sslrootcert=system")).rejects.toThrow(untrusted);
    await expect(met("&sslrootcert=/no/such/file")).rejects.toThrow("ENOENT");
    await expect(met("&sslmode=disable")).rejects.toThrow("cannot be reached");
  });

  it("is left out where the server offers none, unless it is asked for", async () => {
    const pooler = databaseUrl(await pooled());
    expect((await meetServer(pooler)).encryption).toBeNull();
    expect((await meetServer(`${pooler}&sslmode=prefer`)).encryption).toBeNull();
    await expect(meetServer(`${pooler}&sslmode=require`)).rejects.toThrow("it offers no encryption (TLS)");
  });

  it("holds for what the program opens then, and for its cancels [api.request-time]", async () => {
    const { url } = await encrypting();
    const warned: Error[] = [];
    const hear = (warning: Error) => void warned.push(warning);
    process.on("warning", hear);
    onTestFinished(() => void process.off("warning", hear));
    const { connection } = await suitableServer(url("&sslmode=require"));
    const database = new Database({ connection, size: 1, log });
    onTestFinished(() => database.close());
    const deadlines = new Deadlines(() => performance.now());
    onTestFinished(() => deadlines.stop());
    const sleeping = deadlines.within(200, (deadline) => database.reader(deadline).all(sql`SELECT pg_sleep(22)`));
    const { ranMs } = await timed(() => expect(sleeping).rejects.toMatchObject({ title: "timeout" }));
    expect(ranMs).toBeLessThan(4_000);
    expect(warned).toEqual([]);
  });
});
