import { shellText } from "../ui/shell-text.ts";

/**
 * The API call behind a chart, for people who want the same figures in their own program [dashboard-figures.api-call].
 */

export interface ApiCall {
  /** the operation's name, which is also the client's function name */
  operation: string;
  /** relative to the API's base address, with its parameters in braces */
  path: string;
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string | number | undefined>>;
}

type Parameter = [name: string, value: string | number];

const parametersOf = ({ query = {} }: ApiCall): Parameter[] =>
  Object.entries(query).filter((entry): entry is Parameter => entry[1] !== undefined);

/** The path and query relative to the API's base address, encoded for the request. */
export function pathOf(call: ApiCall): string {
  return call.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(call.params?.[name] ?? ""));
}

export function asCurl(call: ApiCall, baseUrl: string): string {
  const parameters = parametersOf(call);
  const lines = [
    `curl --get ${shellText(`${baseUrl}${pathOf(call)}`)}`,
    `--header "Authorization: Bearer $QUIZSTORE_KEY"`,
    ...parameters.map(([name, value]) => `--data-urlencode ${shellText(`${name}=${value}`)}`),
  ];
  return lines.join(" \\\n  ");
}

export function asTypeScript(call: ApiCall, baseUrl: string): string {
  const parameters = parametersOf(call);
  const fields = [
    ...(call.params ? [`  path: ${literal(Object.entries(call.params))},`] : []),
    ...(parameters.length > 0 ? [`  query: ${literal(parameters)},`] : []),
  ];
  const argument = fields.length > 0 ? `, {\n${fields.join("\n")}\n}` : "";
  return [
    `import { createClient, ${call.operation} } from "@quizstore/client";`,
    "",
    `const client = createClient({ baseUrl: ${JSON.stringify(baseUrl)}, apiKey: process.env.QUIZSTORE_KEY });`,
    `const answer = await ${call.operation}(client${argument});`,
  ].join("\n");
}

const literal = (entries: readonly (readonly [string, string | number])[]): string =>
  `{ ${entries.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(", ")} }`;
