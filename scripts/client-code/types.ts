import { answerOf, nameOf, type OpenApi, operationsOf, refusalsOf, type Schema } from "./document.ts";

/** Types for a description's schemas. The output is unformatted; the formatter runs later. */

const keyOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

/** A doc comment for editors; empty if there is no text. */
export function commentOf(text: string | undefined, deprecated = false): string {
  const words = [text?.replaceAll("*/", "* /"), deprecated ? "@deprecated" : ""].filter(Boolean);
  return words.length === 0 ? "" : `/** ${words.join(" ")} */\n`;
}

const union = (schemas: readonly Schema[]): string => [...new Set(schemas.map(typeOf))].join(" | ");

/** A schema as a type; `unknown` if the schema does not state its type. */
export function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return union(choices);
  if (schema.allOf) return schema.allOf.map((part) => `(${typeOf(part)})`).join(" & ");
  const { type } = schema;
  if (Array.isArray(type)) return union(type.map((one) => ({ ...schema, type: one })));
  if (type === "array") return `(${typeOf(schema.items ?? {})})[]`;
  if (type === "object" || schema.properties) return objectOf(schema);
  if (type === "integer") return "number";
  return type === "string" || type === "number" || type === "boolean" || type === "null" ? type : "unknown";
}

/** Optional fields may be undefined: both JSON and queries omit them then. */
function objectOf({ properties = {}, required = [], patternProperties = {}, additionalProperties }: Schema): string {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const type = typeOf(schema);
    const given = required.includes(name) ? `: ${type}` : `?: ${type} | undefined`;
    return `${commentOf(schema.description, schema.deprecated)}${keyOf(name)}${given};`;
  });
  const others = Object.values(patternProperties);
  if (typeof additionalProperties === "object") others.push(additionalProperties);
  else if (additionalProperties === true) others.push({});
  if (fields.length === 0) return others.length === 0 ? "Record<string, unknown>" : `Record<string, ${union(others)}>`;
  return `{\n${[...fields, ...(others.length === 0 ? [] : ["[name: string]: unknown;"])].join("\n")}\n}`;
}

/** Types by name: the components, the titles of errors, and the events of webhooks. */
export function typesOf(document: OpenApi): Map<string, string> {
  const schemas = Object.entries(document.components.schemas);
  const declared = new Map(
    schemas.map(([name, schema]) => [name, `${commentOf(schema.description)}export type ${name} = ${typeOf(schema)};`]),
  );
  const titles = [...new Set(operationsOf(document).flatMap(refusalsOf))].sort();
  if (titles.length > 0) {
    const list = titles.map((title) => JSON.stringify(title)).join(" | ");
    declared.set("ProblemTitle", `${commentOf("What a refusal's `title` can be")}export type ProblemTitle = ${list};`);
  }
  const events = Object.entries(document.webhooks ?? {}).map(([topic, { post }]) => {
    const body = post.requestBody?.content["application/json"]?.schema;
    if (body === undefined) throw new Error(`the webhook ${topic} has no body`);
    return `${commentOf(`${topic}: ${post.summary}`)}| ${typeOf(body)}`;
  });
  if (events.length > 0) {
    const meaning = commentOf("What a webhook brings; `type` tells which. Later servers may send topics beyond these.");
    declared.set("WebhookEvent", `${meaning}export type WebhookEvent =\n${events.join("\n")};`);
  }
  return declared;
}

/** The row type of a list with cursor pagination; null for any other answer. */
export function rowOf(described: Parameters<typeof answerOf>[0]): Schema | null {
  const { properties = {} } = answerOf(described) ?? {};
  const paged = properties["has_more"] !== undefined && properties["next_cursor"] !== undefined;
  return paged ? (properties["data"]?.items ?? null) : null;
}
