import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { say, startDemo } from "./demo-program.ts";

/**
 * `node hard/field/mcp-remote.ts`: mcp-remote, through which programs that start a process reach `/mcp`. Expected: with
 * the right key it lists the tools; with a wrong one it says something about OAuth, as docs/integrators.md has it.
 */

const version = "0.15.1";

async function through(url: string, key: string): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), "quizstore-mcp-remote-"));
  const child = spawn(
    "npx",
    ["--yes", `mcp-remote@${version}`, `${url}/mcp`, "--header", `Authorization: Bearer ${key}`, "--allow-http"],
    { env: { ...process.env, HOME: home, BROWSER: "true" }, stdio: ["pipe", "pipe", "pipe"], detached: true },
  );
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (said += part));
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const clientInfo = { name: "field", version: "1" };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  send({ id: 1, method: "initialize", params });
  send({ method: "notifications/initialized" });
  send({ id: 2, method: "tools/list" });
  const exited = once(child, "exit");
  const last = performance.now() + 120_000;
  const isDone = () => /"tools":\[/.test(said) || child.exitCode !== null || performance.now() > last;
  while (!isDone()) await new Promise((resolve) => setTimeout(resolve, 200));
  if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid);
  await exited;
  await rm(home, { recursive: true, force: true });
  return said;
}

async function main(): Promise<void> {
  const program = await startDemo();
  try {
    const right = await through(program.url, program.key);
    const wrong = await through(program.url, "svc_live_wrong");
    const lists = right.includes('"tools":[');
    const told = wrong.split("\n").filter((line) => /error|regist|oauth|401|auth/i.test(line));
    say(`with the key: ${lists ? "tools are listed" : right.slice(-500)}`);
    say(`with a wrong one: ${told.slice(-6).join("\n  ")}`);
    process.exitCode = lists && !wrong.includes('"tools":[') ? 0 : 1;
  } finally {
    await program.stop();
  }
}

await main();
