import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { access, chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run } from "../../journeys/program.ts";
import { certificateFor } from "../../testkit/certificate.ts";
import { freePort } from "../../testkit/machine.ts";
import { patience } from "../../testkit/slowness.ts";

/**
 * Letters to Debian's postfix, with a certificate like the one that the distribution makes for it: in the machine's own
 * name, signed by itself. As root, with postfix installed, by hand: npm test -- --suite hard/field/mail.hard.test.ts
 */

const daemons = "/usr/lib/postfix/sbin";
const installed =
  process.getuid?.() === 0 &&
  (await access(join(daemons, "master")).then(
    () => true,
    () => false,
  ));

const services = [
  "cleanup unix n - n - 0 cleanup",
  "qmgr unix n - n 300 1 qmgr",
  "rewrite unix - - n - - trivial-rewrite",
  ...["bounce", "defer", "trace"].map((name) => `${name} unix - - n - 0 bounce`),
  ...["error", "retry"].map((name) => `${name} unix - - n - - error`),
  "discard unix - - n - - discard",
  "tlsmgr unix - - n 1000? 1 tlsmgr",
  "anvil unix - - n - 1 anvil",
  "proxymap unix - - n - - proxymap",
  "postlog unix-dgram n - n - 1 postlogd",
];

let folder: string;
let port: number;
let stop: () => Promise<void>;

const log = () => readFile(join(folder, "log"), "utf8").catch(() => "");

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "quizstore-postfix-"));
  if (!installed) return;
  port = await freePort();
  const { cert, key } = certificateFor("shop.test");
  const [config, spool, state] = ["config", "spool", "state"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const each of [config, spool, state]) await mkdir(each);
  await chmod(folder, 0o755);
  await promisify(execFile)("chown", ["postfix", state]);
  await writeFile(join(config, "cert.pem"), cert);
  await writeFile(join(config, "key.pem"), key, { mode: 0o600 });
  const settings = {
    ...{ compatibility_level: "3.6", myhostname: "shop.test", mydestination: "shop.test, localhost" },
    ...{ queue_directory: spool, data_directory: state, daemon_directory: daemons, command_directory: "/usr/sbin" },
    ...{ inet_interfaces: "loopback-only", local_transport: "discard:", default_transport: "discard:" },
    local_recipient_maps: "inline:{ ada=x }",
    ...{ smtpd_tls_cert_file: join(config, "cert.pem"), smtpd_tls_key_file: join(config, "key.pem") },
    ...{ smtpd_tls_security_level: "may", smtpd_tls_loglevel: "1" },
    ...{ maillog_file: join(folder, "log"), maillog_file_prefixes: folder },
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  await writeFile(join(config, "main.cf"), `${lines.join("\n")}\n`);
  await writeFile(join(config, "master.cf"), `127.0.0.1:${port} inet n - n - - smtpd\n${services.join("\n")}\n`);
  const postfix = spawn("postfix", ["-c", config, "start-fg"], { stdio: "ignore", detached: true });
  const ended = once(postfix, "close");
  stop = async () => {
    await promisify(execFile)("postfix", ["-c", config, "stop"]).catch(() => undefined);
    await ended;
  };
  for (let tries = 0; !(await isOpen()); tries += 1) {
    if (tries > 100 * patience) throw new Error(`postfix does not answer:\n${await log()}`);
    await pause(100);
  }
});
afterAll(async () => {
  await stop?.();
  await rm(folder, { recursive: true, force: true });
});

const isOpen = (): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => settle(true));
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.on("error", () => settle(false));
  });

interface Invited {
  mailed: boolean;
  mail_problem?: string;
}

describe.skipIf(!installed)("a letter to postfix", () => {
  let made: Promise<unknown> | null = null;
  const quizstore = async (smtpUrl: string, ...args: string[]) => {
    const data = join(folder, "data");
    made ??= run(["migrate", "--data", data]);
    await made;
    return run([...args, "--data", data], { SMTP_URL: smtpUrl });
  };
  const invite = async (smtpUrl: string, email: string) => {
    const { json, stderr, status } = await quizstore(smtpUrl, "user", "invite", email, "--operator", "--json");
    expect(status, stderr).toBe(0);
    return { ...(json as Invited), stderr };
  };

  it.each([
    ["smtp://localhost:PORT", true],
    ["smtp://localhost:PORT?requireTLS=true", true],
    ["smtp://127.0.0.1:PORT?ignoreTLS=true", false],
    ["smtp://localhost:PORT?tls.rejectUnauthorized=false", true],
  ])("is accepted by %s, encrypted: %s", async (form, encrypted) => {
    const before = (await log()).length;
    expect(await invite(form.replace("PORT", String(port)), "ada@shop.test")).toMatchObject({ mailed: true });
    const said = async () => (await log()).slice(before);
    await expect.poll(said).toContain("to=<ada@shop.test>");
    expect((await said()).includes("TLS connection established")).toBe(encrypted);
    const { stdout } = await quizstore(form.replace("PORT", String(port)), "doctor");
    expect(stdout).toContain("ok   mail: the mail server answers, and takes letters from here");
  });

  it("is not mailed where its certificate is to be checked, and doctor says so", async () => {
    const strict = `smtp://localhost:${port}?tls.rejectUnauthorized=true`;
    const { mailed, mail_problem, stderr } = await invite(strict, "ada@shop.test");
    expect([mailed, mail_problem]).toEqual([
      false,
      expect.stringContaining("its certificate is not trusted: self-signed"),
    ]);
    expect(JSON.parse(stderr)).toMatchObject({ msg: "a letter could not be sent", reason: mail_problem });
    const { stdout } = await quizstore(strict, "doctor");
    expect(stdout).toMatch(/^FAIL mail: .*certificate is not trusted.*\n.*docs\/operations.md/m);
  });

  it("is not mailed to somebody whom it does not know, whom the log does not name", async () => {
    const { mailed, mail_problem, stderr } = await invite(`smtp://localhost:${port}`, "nobody-known@shop.test");
    expect([mailed, mail_problem]).toEqual([false, "it refuses the sender or the recipient (550 5.1.1 to RCPT TO)"]);
    expect(stderr).not.toContain("nobody-known");
  });

  it("is not mailed where nothing listens", async () => {
    const { mailed, mail_problem } = await invite(`smtp://localhost:${await freePort()}`, "ada@shop.test");
    expect([mailed, mail_problem]).toEqual([false, expect.stringContaining("ECONNREFUSED")]);
  });
});
