import { setTimeout as pause } from "node:timers/promises";
import { fromJsonSchema, McpServer, ResourceTemplate, type ServerContext } from "@modelcontextprotocol/server";

/**
 * Tools, resources and prompts that the conformance suite of the Model Context Protocol requires of a server, to test
 * the connection from `/mcp` to a server and back; the product does not use them.
 */

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const wav = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==";

const text = (words: string) => ({ type: "text" as const, text: words });
const image = { type: "image" as const, data: png, mimeType: "image/png" };
const audio = { type: "audio" as const, data: wav, mimeType: "audio/wav" };
const resource = (uri: string, mimeType: string, words: string) => ({
  type: "resource" as const,
  resource: { uri, mimeType, text: words },
});

export function newFixtureServer(): McpServer {
  const capabilities = { tools: {}, resources: { subscribe: true }, prompts: {}, logging: {}, completions: {} };
  const server = new McpServer({ name: "fixtures", version: "1" }, { capabilities });
  addTools(server);
  addLongTools(server);
  addResources(server);
  addPrompts(server);
  return server;
}

function addTools(server: McpServer): void {
  const answers = {
    test_simple_text: [text("This is a simple text response for testing.")],
    test_image_content: [image],
    test_audio_content: [audio],
    test_embedded_resource: [
      resource("test://embedded-resource", "text/plain", "This is an embedded resource content."),
    ],
    test_multiple_content_types: [
      ...[text("Multiple content types test:"), image],
      resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ],
  };
  for (const [name, content] of Object.entries(answers))
    server.registerTool(name, { description: name }, async () => ({ content }));
  server.registerTool("test_error_handling", { description: "Always fails" }, async () => {
    throw new Error("This tool intentionally returns an error for testing");
  });
  const inputSchema = fromJsonSchema<object>({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    $defs: { address: { type: "object", properties: { street: { type: "string" }, city: { type: "string" } } } },
    properties: { name: { type: "string" }, address: { $ref: "#/$defs/address" } },
    additionalProperties: false,
  });
  const described = { description: "Tool with JSON Schema 2020-12 features", inputSchema };
  server.registerTool("json_schema_2020_12_tool", described, async () => ({ content: [text("done")] }));
}

/** They send notifications while they run. */
function addLongTools(server: McpServer): void {
  const log = "test_tool_with_logging";
  server.registerTool(log, { description: "Logs as it runs" }, async ({ mcpReq }: ServerContext) => {
    for (const data of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
      await mcpReq.log("info", data);
      await pause(50);
    }
    return { content: [text("logged")] };
  });
  const progress = "test_tool_with_progress";
  server.registerTool(progress, { description: "Says how far it is" }, async ({ mcpReq }: ServerContext) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const done of [0, 50, 100]) {
      const params = { progressToken: progressToken ?? "", progress: done, total: 100 };
      if (progressToken !== undefined) await mcpReq.notify({ method: "notifications/progress", params });
      await pause(50);
    }
    return { content: [text("done")] };
  });
}

function addResources(server: McpServer): void {
  const words = "This is the content of the static text resource.";
  const described = { description: "A resource", mimeType: "text/plain" };
  server.registerResource("text", "test://static-text", described, async ({ href: uri }) => ({
    contents: [{ uri, mimeType: "text/plain", text: words }],
  }));
  server.registerResource("binary", "test://static-binary", { description: "A picture" }, async ({ href: uri }) => ({
    contents: [{ uri, mimeType: "image/png", blob: png }],
  }));
  const template = new ResourceTemplate("test://template/{id}/data", { list: undefined });
  server.registerResource("template", template, { description: "By id" }, async ({ href: uri }, { id }) => ({
    contents: [
      {
        uri,
        mimeType: "application/json",
        text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
      },
    ],
  }));
  server.server.setRequestHandler("resources/subscribe", async () => ({}));
  server.server.setRequestHandler("resources/unsubscribe", async () => ({}));
}

function addPrompts(server: McpServer): void {
  const from = (...contents: readonly (ReturnType<typeof text> | typeof image | ReturnType<typeof resource>)[]) => ({
    messages: contents.map((content) => ({ role: "user" as const, content })),
  });
  const takes = <Name extends string>(...names: Name[]) =>
    fromJsonSchema<Record<Name, string>>({
      type: "object",
      properties: Object.fromEntries(names.map((name) => [name, { type: "string", description: "A text" }])),
      required: names,
    });
  server.registerPrompt("test_simple_prompt", { description: "Simple" }, async () =>
    from(text("This is a simple prompt for testing.")),
  );
  const two = { description: "With arguments", argsSchema: takes("arg1", "arg2") };
  server.registerPrompt("test_prompt_with_arguments", two, async ({ arg1, arg2 }) =>
    from(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  const one = { description: "With a resource", argsSchema: takes("resourceUri") };
  server.registerPrompt("test_prompt_with_embedded_resource", one, async ({ resourceUri }) =>
    from(
      resource(resourceUri, "text/plain", "Embedded resource content for testing."),
      text("Please process the embedded resource above."),
    ),
  );
  server.registerPrompt("test_prompt_with_image", { description: "With a picture" }, async () =>
    from(image, text("Please analyze the image above.")),
  );
  server.server.setRequestHandler("completion/complete", async ({ params }) => ({
    completion: { values: ["paris", "park", "party"].filter((word) => word.startsWith(params.argument.value)) },
  }));
}
