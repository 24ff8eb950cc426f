import { setTimeout as pause } from "node:timers/promises";
import { type Answered, ask, say, startDemo, until } from "./demo-program.ts";
import type { FrontProxy } from "./proxy-configs.ts";
import { isInstalled, within } from "./proxy-run.ts";

/**
 * `node hard/field/haproxy.ts`: HAProxy's ways to check a server and to tell it addresses, against the program.
 * Expected: with what docs/operations.md says, the server is up; its bare check takes it out; the PROXY protocol is
 * refused with a sentence that says what to do.
 */

/** `/healthz` is answered by HAProxy itself, to know when it runs. */
const haproxy = (backend: readonly string[], server: string): FrontProxy => ({
  name: "haproxy",
  packages: "haproxy",
  program: "haproxy",
  version: ["-v"],
  files: ({ port, upstream }) => ({
    "haproxy.cfg": [
      "defaults",
      "  mode http",
      "  timeout connect 2s",
      "  timeout client 10s",
      "  timeout server 10s",
      "frontend web",
      `  bind 127.0.0.1:${port}`,
      "  http-request return status 200 if { path /healthz }",
      "  default_backend quizstore",
      "backend quizstore",
      ...backend.map((line) => `  ${line}`),
      `  server one 127.0.0.1:${upstream} ${server}`,
      "",
    ].join("\n"),
  }),
  command: ({ folder }) => ["-db", "-f", `${folder}/haproxy.cfg`],
});

const documented = ["option httpchk GET /readyz", "option forwardfor", "option redispatch 1"];
const checked = "check inter 200ms fall 2 rise 1";

interface Case {
  what: string;
  proxy: FrontProxy;
  expected(answer: Answered): boolean;
}

const cases: readonly Case[] = [
  {
    what: "as documented: up",
    proxy: haproxy(documented, checked),
    expected: ({ status }) => status === 401,
  },
  {
    what: "bare option httpchk: down",
    proxy: haproxy(["option httpchk"], checked),
    expected: ({ status }) => status === 503,
  },
  ...["send-proxy", "send-proxy-v2"].map((sent) => ({
    what: `${sent}: refused with what to do`,
    proxy: haproxy([], sent),
    expected: ({ status, body }: Answered) => status === 422 && body.includes("let the proxy send X-Forwarded-For"),
  })),
];

async function main(): Promise<void> {
  if (!(await isInstalled("haproxy"))) return say("not installed: apt-get install haproxy");
  const program = await startDemo({ TRUST_PROXY: "1" });
  let failed = 0;
  try {
    for (const { what, proxy, expected } of cases) {
      const seen = await within(proxy, Number(new URL(program.url).port), async (url) => {
        const get = async () => {
          const answer = await ask(`${url}/v1/store`);
          return expected(answer) ? answer : undefined;
        };
        const found = await until(what, get, 10).catch(() => ask(`${url}/v1/store`));
        // it stays so
        await pause(1_000);
        return { found, later: await ask(`${url}/v1/store`) };
      });
      const isRight = expected(seen.found) && expected(seen.later);
      if (!isRight) failed += 1;
      say(`${isRight ? "ok" : "FAILED"} ${what} (${seen.later.status} ${seen.later.body.toString().slice(0, 200)})`);
    }
  } finally {
    await program.stop();
  }
  process.exitCode = failed === 0 ? 0 : 1;
}

await main();
