import { answerOf, jsonOf, type OpenApi, type Operation, operationsOf, refusalsOf, type Schema } from "./document.ts";
import { commentOf, rowOf, typeOf } from "./types.ts";

/** A function for each operation, with its input and output types. */

const pascal = (id: string): string => `${id[0]?.toUpperCase()}${id.slice(1)}`;

/** The path or query parameters as an object's schema; null: there are none. Headers are sent by the client's core. */
function objectFor(operation: Operation, place: "path" | "query"): Schema | null {
  const own = operation.parameters.filter(({ in: at }) => at === place);
  if (own.length === 0) return null;
  return {
    type: "object",
    required: own.filter(({ required }) => required).map(({ name }) => name),
    properties: Object.fromEntries(
      own.map(({ name, description, schema }) => [name, { ...(description ? { description } : {}), ...schema }]),
    ),
  };
}

interface Part {
  name: string;
  schema: Schema;
  needed: boolean;
}

function partsOf(operation: Operation): Part[] {
  const parts = (["path", "query"] as const).flatMap((name): Part[] => {
    const schema = objectFor(operation, name);
    return schema === null ? [] : [{ name, schema, needed: (schema.required ?? []).length > 0 }];
  });
  const body = jsonOf(operation.requestBody?.content);
  if (body !== null) parts.push({ name: "body", schema: body, needed: operation.requestBody?.required ?? false });
  return parts;
}

const has = (operation: Operation, header: string): boolean =>
  operation.parameters.some(({ in: at, name }) => at === "header" && name === header);

/** Whether it may be sent again if it is unknown whether it was received. */
function isRepeatable(operation: Operation): boolean {
  if (operation.method === "POST") return has(operation, "Idempotency-Key") || operation["x-cost-class"] === "search";
  // if the answer to a successful attempt was lost, the second would be refused as outdated
  if (refusalsOf(operation).includes("if_match_required")) return false;
  return operation.method !== "PATCH";
}

function routeOf(operation: Operation, cut: string): string {
  if (!operation.path.startsWith(cut)) throw new Error(`${operation.path} does not begin with ${cut}`);
  const fields = [
    `method: ${JSON.stringify(operation.method)}`,
    `path: ${JSON.stringify(operation.path.slice(cut.length))}`,
  ];
  if (isRepeatable(operation)) fields.push("repeatable: true");
  if (has(operation, "Idempotency-Key")) fields.push("keyed: true");
  return `{ ${fields.join(", ")} }`;
}

function described(operation: Operation): string {
  const scopes = operation.security?.flatMap((needed) => Object.values(needed).flat()) ?? [];
  const words = [
    operation.description ? `${operation.summary}. ${operation.description}` : `${operation.summary}.`,
    `\`${operation.method} ${operation.path}\`${scopes.length === 0 ? "" : `, scope \`${scopes.join("`, `")}\``}`,
  ];
  return commentOf(words.join(" "), operation.deprecated);
}

interface Signature {
  id: string;
  comment: string;
  /** null: it has no parameters */
  input: { type: string; needed: boolean } | null;
  answer: string;
  /** the return type: an answer, or a list of rows */
  result: string;
}

/** The parameters after the client, in the form for a caller or for the function's own signature. */
function parametersOf({ input }: Signature, whenLeftOut: "may be missing" | "may be undefined" | "is empty"): string {
  if (input === null) return "";
  if (input.needed) return `input: ${input.type}, `;
  if (whenLeftOut === "may be missing") return `input?: ${input.type}, `;
  return whenLeftOut === "is empty" ? `input: ${input.type} = {}, ` : `input: ${input.type} | undefined, `;
}

/** A caller can request figures unless they are unchanged; the answer is null if they are. */
function conditionalOf(signature: Signature): string {
  const { id, comment, answer, result } = signature;
  const before = parametersOf(signature, "may be undefined");
  const plain = parametersOf(signature, "may be missing");
  return `${comment}export function ${id}(client: Client, ${before}options: UnlessUnchanged): Reply<${answer} | null>;
${comment}export function ${id}(client: Client, ${plain}options?: CallOptions): ${result};
`;
}

function typesFor(operation: Operation, parts: readonly Part[], answer: Schema | null): string[] {
  const texts: string[] = [];
  if (parts.length > 0) {
    const fields = parts.map(({ name, needed, schema }) =>
      needed ? `${name}: ${typeOf(schema)};` : `${name}?: ${typeOf(schema)} | undefined;`,
    );
    texts.push(`export type ${pascal(operation.operationId)}Input = {\n${fields.join("\n")}\n};`);
  }
  // an answer that is a component already has a name
  if (answer && !answer.$ref) texts.push(`export type ${pascal(operation.operationId)}Answer = ${typeOf(answer)};`);
  return texts;
}

function functionOf(operation: Operation, cut: string): string {
  const { operationId: id } = operation;
  const parts = partsOf(operation);
  const schema = answerOf(operation);
  const answer = schema === null ? "null" : schema.$ref ? typeOf(schema) : `${pascal(id)}Answer`;
  const row = rowOf(operation);
  const signature: Signature = {
    id,
    comment: described(operation),
    input: parts.length === 0 ? null : { type: `${pascal(id)}Input`, needed: parts.some(({ needed }) => needed) },
    answer,
    result: row === null ? `Reply<${answer}>` : `List<${typeOf(row)}, ${answer}>`,
  };
  const head = has(operation, "If-None-Match") ? conditionalOf(signature) : signature.comment;
  const declared = `export function ${id}(client: Client, ${parametersOf(signature, "is empty")}options?: CallOptions)`;
  const sent = `${row === null ? "call" : "list"}(client, ${routeOf(operation, cut)}, ${parts.length === 0 ? "{}" : "input"}, options)`;
  return [...typesFor(operation, parts, schema), `${head}${declared}: ${signature.result} {\nreturn ${sent};\n}`].join(
    "\n\n",
  );
}

/** The functions of every operation; `cut` is a prefix removed from paths, for a client whose address includes it. */
export function functionsOf(document: OpenApi, cut = ""): string {
  return operationsOf(document)
    .map((operation) => functionOf(operation, cut))
    .join("\n\n");
}
