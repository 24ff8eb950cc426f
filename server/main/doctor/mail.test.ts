import { createServer, type Socket } from "node:net";
import { createSecureContext, TLSSocket } from "node:tls";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { browserOf, invitedBy, linkFor, signedIn, tokenOf } from "../../../testkit/accounts.ts";
import { openTestApp, requester, type TestApp, type TestStore } from "../../../testkit/app.ts";
import { certificateFor, type TestCertificate } from "../../../testkit/certificate.ts";
import { type Mailer, openMailer, signInMail } from "../../accounts/mail.ts";
import { type Limiter, LimiterUnavailable } from "../../platform/limiter/types.ts";
import { openLog } from "../../platform/log.ts";
import { inspectMail } from "./mail.ts";

interface MailServerOptions {
  /** offers STARTTLS */
  certificate?: TestCertificate;
  /** its answer to recipients instead */
  refusal?: string;
}

/** A mail server that takes everything, and keeps it. */
function mailServer({ certificate, refusal }: MailServerOptions = {}) {
  const letters: { to: string; text: string; encrypted: boolean }[] = [];
  const sockets = new Set<Socket>();
  const serve = (socket: Socket) => {
    sockets.add(socket);
    const encrypted = socket instanceof TLSSocket;
    let letter = "";
    let to = "";
    let reading = false;
    socket.setEncoding("utf8");
    socket.on("error", () => undefined);
    const hear = (text: unknown) => {
      for (const line of String(text).split("\r\n").slice(0, -1)) {
        if (reading && line === ".") {
          reading = false;
          letters.push({ to, text: letter, encrypted });
          letter = "";
          socket.write("250 taken\r\n");
        } else if (reading) letter += `${line}\n`;
        else if (/^EHLO/i.test(line))
          socket.write(certificate && !encrypted ? "250-mail.test\r\n250 STARTTLS\r\n" : "250 mail.test\r\n");
        else if (/^STARTTLS/i.test(line) && certificate) {
          socket.write("220 go on\r\n");
          socket.off("data", hear);
          serve(new TLSSocket(socket, { isServer: true, secureContext: createSecureContext(certificate) }));
        } else if (/^DATA/i.test(line)) {
          reading = true;
          socket.write("354 go on\r\n");
        } else {
          const named = /^RCPT TO:<(.*)>/i.exec(line)?.[1];
          to = named ?? to;
          socket.write(named && refusal ? `${refusal.replace("ADDRESS", named)}\r\n` : "250 good\r\n");
        }
      }
    };
    socket.on("data", hear);
  };
  const server = createServer((socket) => {
    socket.write("220 mail.test\r\n");
    serve(socket);
  });
  return {
    letters,
    listen: () =>
      new Promise<number>((resolve) => {
        server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port));
      }),
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

const post = mailServer();
let t: TestApp;
let store: TestStore;
let mailer: Mailer;
beforeAll(async () => {
  const port = await post.listen();
  const log = openLog("silent", { write: () => undefined });
  mailer = await openMailer({ smtpUrl: `smtp://127.0.0.1:${port}`, from: "quizzes@one.example", log });
  t = await openTestApp({ mailer });
  store = await t.store();
});
afterAll(async () => {
  await mailer.close();
  await t.close();
  await post.close();
});
beforeEach(() => {
  t.passTime(3_600_000);
  post.letters.length = 0;
});

const tokenIn = (text: string): string => {
  // lines of quoted-printable go on after an = at their end
  const plain = text.replaceAll("=\n", "").replaceAll("=3D", "=");
  return tokenOf(/https?:\/\/\S+\/dashboard\/link\/[\w-]+/.exec(plain)?.[0] ?? "");
};
const arrived = async (count = 1) => {
  await expect.poll(() => post.letters.length, { timeout: 10_000 }).toBe(count);
  return post.letters;
};
const askFor = (email: string) => browserOf(t).request("POST", "/links/mail", { body: { email } });

describe("letters", () => {
  it("carry invitations to whom they are for [accounts.mail]", async () => {
    const owner = await signedIn(t, "host@one.example", { store, role: "owner" });
    const body = { email: "guest@one.example", role: "editor" };
    const made = await owner.request("POST", "/invitations", { store, body });
    expect(made.body.mailed).toBe(true);
    const [letter] = await arrived();
    expect(letter?.to).toBe("guest@one.example");
    expect(letter?.text).toMatch(/^From: quizzes@one\.example$/m);
    expect(letter?.text).toContain("host@one.example invites you");
    expect(tokenIn(letter?.text ?? "")).toBe(tokenOf(made.body.url));
  });

  it("carry links to those who are known, and the answer tells nobody who is [accounts.mail]", async () => {
    await signedIn(t, "known@one.example", { store, role: "owner" });
    const answers = [
      await askFor("Known@one.example"),
      await askFor("unknown@one.example"),
      await askFor("no address"),
    ];
    for (const { status, body } of answers) expect([status, body]).toEqual([202, { sent: true }]);
    const [letter] = await arrived();
    expect(letter?.to).toBe("known@one.example");
    const token = tokenIn(letter?.text ?? "");
    const browser = browserOf(t);
    expect((await browser.request("POST", "/links/use", { body: { token } })).status).toBe(200);
    t.calendar.advance(60 * 60 * 1_000);
    expect(t.logged.join("")).not.toContain("known@one.example");
  });

  it("last an hour [accounts.links]", async () => {
    await signedIn(t, "slow@one.example", { store, role: "owner" });
    await askFor("slow@one.example");
    const token = tokenIn((await arrived())[0]?.text ?? "");
    t.calendar.advance(60 * 60 * 1_000);
    expect((await browserOf(t).request("POST", "/links/use", { body: { token } })).status).toBe(410);
  });

  it("are asked for five times at once at most, then one in five minutes, known or not [accounts.mail]", async () => {
    const statuses: number[] = [];
    for (let asked = 0; asked < 6; asked += 1) statuses.push((await askFor("nobody@one.example")).status);
    expect(statuses).toEqual([...Array(5).fill(202), 429]);
  });

  it("are written unasked as seldom to one address, however often it is invited [accounts.mail]", async () => {
    const owner = await signedIn(t, "eager@one.example", { store, role: "owner" });
    const mailed: boolean[] = [];
    for (let invited = 0; invited < 7; invited += 1) {
      const body = { email: "pestered@one.example", role: "editor" };
      const made = await owner.request("POST", "/invitations", { store, body });
      expect(made.status).toBe(201);
      mailed.push(made.body.mailed);
    }
    expect(mailed).toEqual([...Array(5).fill(true), false, false]);
    expect((await arrived(5)).map(({ to }) => to)).toEqual(Array(5).fill("pestered@one.example"));
  });

  it("are not written while limits cannot be checked; the invitation is made all the same [accounts.mail]", async () => {
    const owner = await signedIn(t, "calm@one.example", { store, role: "owner" });
    const { limiter } = t.foundations;
    const away: Limiter = {
      admit: (charge) => limiter.admit(charge),
      book: (charge) => limiter.book(charge),
      chargeBucket: (asked) => {
        if (asked.name.startsWith("sign-in letter")) throw new LimiterUnavailable(null);
        return limiter.chargeBucket(asked);
      },
      close: async () => undefined,
    };
    const invited = await requester(t.compose({ limiter: away }))("POST", "/dashboard/api/invitations", {
      headers: { cookie: owner.cookie(), "sec-fetch-site": "same-origin", "quizstore-store": store.id },
      body: { email: "waits@one.example", role: "editor" },
    });
    expect([invited.status, invited.body.mailed]).toEqual([201, false]);
  });

  it("that strangers ask for withdraw no link of their person; the one that is used does [accounts.links]", async () => {
    await signedIn(t, "asked@one.example", { store, role: "owner" });
    const printed = await linkFor(t, "asked@one.example");
    await askFor("asked@one.example");
    await arrived(1);
    await askFor("asked@one.example");
    const [first, second] = (await arrived(2)).map(({ text }) => tokenIn(text));
    const use = async (token = "") => (await browserOf(t).request("POST", "/links/use", { body: { token } })).status;
    expect(await use(first)).toBe(200);
    expect([await use(second), await use(printed)]).toEqual([410, 410]);
    const again = await linkFor(t, "asked@one.example");
    await askFor("asked@one.example");
    await arrived(3);
    expect(await use(again)).toBe(200);
  });

  it("say how long their link lasts [accounts.links]", () => {
    expect(signInMail("a@one.example", "x", "an hour").text).toContain("within an hour");
    expect(signInMail("a@one.example", "x", "a day").text).toContain("within a day");
  });

  it("end what was in an account before its address was proven [accounts.email-proven]", async () => {
    const squatter = browserOf(t);
    const owner = await signedIn(t, "squat@one.example", { store, role: "owner" });
    const made = await owner.request("POST", "/invitations", {
      store,
      body: { email: "alice@one.example", role: "analyst" },
    });
    const password = "the squatter's own";
    await squatter.request("POST", "/links/use", { body: { token: tokenOf(made.body.url), password } });
    expect((await squatter.request("GET", "/me")).status).toBe(200);
    const given = {
      name: "Waiting",
      store_id: store.id,
      expires_at: new Date(t.calendar.now() + 60_000).toISOString(),
    };
    const { token: waiting } = (await squatter.request("POST", "/me/tokens", { body: given })).body;
    const headers = { authorization: `Bearer ${waiting}` };
    const byToken = async () => (await t.request("GET", "/dashboard/api/v1/store", { headers })).status;
    expect(await byToken()).toBe(200);
    post.letters.length = 0;
    await askFor("alice@one.example");
    const token = tokenIn((await arrived())[0]?.text ?? "");
    const alice = browserOf(t);
    const used = await alice.request("POST", "/links/use", { body: { token } });
    expect([used.status, used.body.person.has_password]).toEqual([200, false]);
    expect((await squatter.request("GET", "/me")).status).toBe(401);
    expect(await byToken()).toBe(401);
    const body = { email: "alice@one.example", password };
    expect((await squatter.request("POST", "/sign-in", { body })).status).toBe(401);
    // the second time nothing is taken away
    await alice.request("POST", "/me/password", { body: { password: "alice's own words" } });
    post.letters.length = 0;
    await askFor("alice@one.example");
    const second = tokenIn((await arrived())[0]?.text ?? "");
    const again = await browserOf(t).request("POST", "/links/use", { body: { token: second } });
    expect(again.body.person.has_password).toBe(true);
    expect((await alice.request("GET", "/me")).status).toBe(200);
  });

  it("that no server takes fail nothing, and are logged with the reason [accounts.mailed]", async () => {
    const owner = await signedIn(t, "kept@one.example", { store, role: "owner" });
    const refusing = mailServer({ refusal: "550 5.1.1 <ADDRESS>: no such person here" });
    const port = await refusing.listen();
    onTestFinished(() => void refusing.close());
    for (const [smtpUrl, code, response, status, reason] of [
      ["smtp://127.0.0.1:9", "ESOCKET", null, null, "connect ECONNREFUSED 127.0.0.1:9"],
      [
        `smtp://127.0.0.1:${port}`,
        "EENVELOPE",
        550,
        "5.1.1",
        "it refuses the sender or the recipient (550 5.1.1 to RCPT TO)",
      ],
    ] as const) {
      const failed: string[] = [];
      const log = openLog("error", { write: (line) => void failed.push(line) });
      const away = await openMailer({ smtpUrl, from: "quizzes@one.example", log });
      const answer = await requester(t.compose({ mailer: away }))("POST", "/dashboard/api/invitations", {
        headers: { cookie: owner.cookie(), "sec-fetch-site": "same-origin", "quizstore-store": store.id },
        body: { email: "guest@one.example", role: "editor" },
      });
      expect([answer.status, answer.body.mailed]).toEqual([201, false]);
      await away.close();
      expect(failed.map((line) => JSON.parse(line))).toMatchObject([{ code, response, status, reason }]);
      expect(failed.join()).not.toContain("guest");
    }
  });

  it("keep nobody waiting who asks for a link [accounts.mailed]", async () => {
    await signedIn(t, "waiting@one.example", { store, role: "owner" });
    let sent = 0;
    const never: Mailer = {
      send: () => {
        sent += 1;
        return new Promise(() => undefined);
      },
      close: async () => undefined,
    };
    const answer = await requester(t.compose({ mailer: never }))("POST", "/dashboard/api/links/mail", {
      headers: { "sec-fetch-site": "same-origin" },
      body: { email: "waiting@one.example" },
    });
    expect(answer.status).toBe(202);
    await expect.poll(() => sent).toBe(1);
  });

  it("are encrypted where that is offered, on this machine under whatever certificate [accounts.mailed]", async () => {
    const self = mailServer({ certificate: certificateFor("another.example") });
    const port = await self.listen();
    onTestFinished(() => void self.close());
    const log = openLog("silent", { write: () => undefined });
    const send = async (smtpUrl: string) => {
      const local = await openMailer({ smtpUrl, from: "quizzes@one.example", log });
      const sent = await local.send({ to: "guest@one.example", subject: "x", text: "y" });
      await local.close();
      return sent;
    };
    expect(await send(`smtp://localhost:${port}`)).toEqual({ accepted: true });
    expect(await send(`smtp://127.0.0.1:${port}?requireTLS=true`)).toEqual({ accepted: true });
    expect(await send(`smtp://127.0.0.1:${port}?ignoreTLS=true`)).toEqual({ accepted: true });
    expect(self.letters.map(({ encrypted }) => encrypted)).toEqual([true, true, false]);
    const strict = `smtp://localhost:${port}?tls.rejectUnauthorized=true`;
    const untrusted = expect.stringMatching(/^its certificate is not trusted: self-signed certificate/);
    expect(await send(strict)).toMatchObject({ accepted: false, reason: untrusted });
    expect(await inspectMail(strict)).toMatchObject({ status: "fail", detail: expect.stringContaining("not trusted") });
    expect((await inspectMail(`smtp://localhost:${port}`)).status).toBe("ok");
    expect((await inspectMail(null)).status).toBe("ok");
    expect(self.letters).toHaveLength(3);
  });

  it("are not sent where no server is set, which asking says [accounts.mail]", async () => {
    const app = t.compose({ mailer: null });
    const answer = await app.inject({
      method: "POST",
      url: "/dashboard/api/links/mail",
      headers: { "sec-fetch-site": "same-origin" },
      payload: { email: "known@one.example" },
    });
    expect(answer.statusCode).toBe(409);
    const options = await app.inject({ url: "/dashboard/api/sign-in/options" });
    expect(options.json()).toEqual({ oidc: null, mail: false });
    expect(await invitedBy(t, "other@one.example", { store, role: "editor" })).toMatch(/^[\w-]{43}$/);
  });
});
