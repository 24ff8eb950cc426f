import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../testkit/database.ts";
import { openEncryptingProxy } from "../../../testkit/encrypting-proxy.ts";
import { openPooler, type PoolerOptions } from "../../../testkit/pooler.ts";
import { databaseUrl } from "../../../testkit/real-processes.ts";
import { meetServer } from "../../platform/database/external-server.ts";
import { openLog } from "../../platform/log.ts";
import { inspectConnection } from "./connection.ts";
import { connectionsOfProcess } from "./database.ts";

let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase(openLog("silent", { write: () => undefined }));
});
afterAll(() => test.close());

const inspect = async (url: string) => inspectConnection(await meetServer(url));

async function pooled(options: PoolerOptions): Promise<string> {
  const pooler = await openPooler(test.connection, options);
  onTestFinished(() => pooler.close());
  return databaseUrl({ ...test.connection, host: "127.0.0.1", port: pooler.port });
}

describe("what doctor finds between the program and its database [command-line.doctor]", () => {
  it("is whether the connection is encrypted", async () => {
    const proxy = await openEncryptingProxy(test.connection);
    onTestFinished(() => proxy.close());
    expect(await inspect(databaseUrl({ ...test.connection, host: "localhost", port: proxy.port }))).toMatchObject({
      status: "ok",
      detail: "encrypted with TLSv1.3, the server's certificate not checked",
    });
    const { status, detail } = await inspect(databaseUrl(test.connection));
    expect([status, detail]).toEqual(["ok", expect.stringMatching(/^(not encrypted|over a socket)$/)]);
  });

  it("is a pooler, and whether it has enough connections", async () => {
    expect(await inspect(await pooled({}))).toMatchObject({
      status: "ok",
      detail: `not encrypted, through a pooler in session mode, which has ${connectionsOfProcess} connections for a process`,
    });
    expect(await inspect(await pooled({ size: 5 }))).toMatchObject({
      status: "warn",
      detail: expect.stringContaining(`which had 5 connections free; a process opens up to ${connectionsOfProcess}`),
      remedy: expect.stringContaining("default_pool_size"),
    });
  });

  it("is a pooler that shares connections, and one that passes on no cancels", async () => {
    expect(await inspect(await pooled({ shared: true }))).toMatchObject({
      status: "fail",
      remedy: expect.stringContaining("pool_mode = session"),
    });
    expect(await inspect(await pooled({ ignoresCancels: true }))).toMatchObject({
      status: "warn",
      detail: expect.stringContaining("a statement was not cancelled when asked"),
    });
  });
});
