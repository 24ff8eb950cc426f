import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";

/**
 * A client of the Model Context Protocol that shares no code with any other: JSON-RPC over fetch, or over a program's
 * streams.
 */

/** JSON of any shape: journeys assert the fields that they expect. */
export type Json = ReturnType<typeof JSON.parse>;

export interface ToolAnswer {
  refused: boolean;
  told: Json;
}

export interface McpClient {
  server: Json;
  tools: Json[];
  use(name: string, given?: object): Promise<ToolAnswer>;
}

type Send = (message: object) => Promise<Json>;

const revision = "2025-11-25";

/** Performs the handshake and lists everything, as each client does first. */
async function greet(send: Send): Promise<McpClient> {
  let id = 0;
  const ask = async (method: string, params: object): Promise<Json> => {
    id += 1;
    const { result, error } = await send({ jsonrpc: "2.0", id, method, params });
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  };
  const clientInfo = { name: "written-by-hand", version: "1" };
  const server = await ask("initialize", { protocolVersion: revision, capabilities: {}, clientInfo });
  await send({ jsonrpc: "2.0", method: "notifications/initialized" });
  const { tools } = await ask("tools/list", {});
  const use = async (name: string, given: object = {}): Promise<ToolAnswer> => {
    const { content, isError } = await ask("tools/call", { name, arguments: given });
    return { refused: isError === true, told: JSON.parse(content[0].text) };
  };
  return { server, tools, use };
}

export const overHttp = (url: string, key: string): Promise<McpClient> =>
  greet(async (message) => {
    const headers = {
      ...{ authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...{ accept: "application/json, text/event-stream", "mcp-protocol-version": revision },
    };
    const answer = await fetch(`${url}/mcp`, { method: "POST", headers, body: JSON.stringify(message) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${answer.status}: ${text}`);
    if (text === "") return {};
    const events = answer.headers.get("content-type")?.startsWith("text/event-stream");
    return JSON.parse(events ? (/^data: (\{.*)$/m.exec(text)?.[1] ?? "null") : text);
  });

/** `quizstore mcp` as an assistant's program starts it; `child`: for the caller to kill. */
export async function overStreams(url: string, key: string): Promise<McpClient & { child: ChildProcess }> {
  const program = join(import.meta.dirname, "../server/main/quizstore.ts");
  const env = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "/", QUIZSTORE_KEY: key };
  const child = spawn(process.execPath, [program, "mcp", "--url", url], { env, stdio: ["pipe", "pipe", "inherit"] });
  const waiting = new Map<number, (answer: Json) => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const answer = JSON.parse(line);
    waiting.get(answer.id)?.(answer);
  });
  const client = await greet((message) => {
    child.stdin.write(`${JSON.stringify(message)}\n`);
    const { id } = message as { id?: number };
    return id === undefined ? Promise.resolve({}) : new Promise((resolve) => waiting.set(id, resolve));
  });
  return { ...client, child };
}
