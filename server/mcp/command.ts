import type { Command } from "commander";
import { createClient } from "../../client/src/index.ts";
import { serverArgument } from "../platform/command-line/commands.ts";
import { UsageError } from "../platform/operator-error.ts";
import { isWhole } from "../stores/public.ts";
import { apiPrefixOf, asAssistant } from "./as-assistant.ts";

/** `quizstore mcp`: the same tools over standard input and output, for a server on another machine [mcp.stdio]. */

export interface McpOptions {
  url: string;
  key?: string;
}

export function addMcp(program: Command, { key, version }: { key: string | undefined; version: string }): void {
  program
    .command("mcp")
    .description("answer an assistant's questions (Model Context Protocol) over standard input and output")
    .option("--url <url>", "where the API is", "http://localhost:8080")
    .option("--key <key>", "an API key, or a personal token; QUIZSTORE_KEY without it")
    .action(async (options: McpOptions) => {
      const baseUrl = serverArgument(options.url).href.replace(/\/+$/, "");
      const apiKey = options.key ?? key;
      if (!apiKey || !isWhole(apiKey)) {
        const fault = apiKey ? "that is no whole key" : "no key";
        throw new UsageError(
          `${fault}: set QUIZSTORE_KEY, or give --key svc_live_... (an API key) or svc_user_... (a personal token)`,
        );
      }
      const { serveStdio } = await import("@modelcontextprotocol/server/stdio");
      const { newMcpServer } = await import("./server.ts");
      const client = createClient({ baseUrl: baseUrl + apiPrefixOf(apiKey), apiKey, headers: asAssistant });
      const ended = new Promise<void>((resolve) => process.stdin.once("end", resolve).once("close", resolve));
      serveStdio(() => newMcpServer({ client, baseUrl }, version));
      await ended;
    });
}
