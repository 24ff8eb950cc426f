import { type Operation, takesIdempotencyKey } from "../../contract/operation.ts";
import { sampleIds } from "../../contract/parameter-examples.ts";
import { escapeHtml } from "../platform/http/escape-html.ts";

/**
 * A form that sends an operation to this server with the reader's own key; assets/docs.js handles it [reference.try].
 */

interface Field {
  enum?: unknown[];
  type?: string | string[];
}

const named = (place: string, name: string): string => `try-${place}-${name}`;

function control(place: "path" | "query", name: string, field: Field, needed: boolean): string {
  const id = named(place, name);
  const attributes = `id="${id}" data-place="${place}" data-name="${escapeHtml(name)}"${needed ? " required" : ""}`;
  const label = `<label for="${id}"><code>${escapeHtml(name)}</code>${needed ? "" : " (optional)"}</label>`;
  const values = field.type === "boolean" ? ["true", "false"] : field.enum;
  if (values === undefined) {
    const placeholder = sampleIds[name] ?? "";
    return `<p>${label}<input ${attributes} placeholder="${escapeHtml(placeholder)}" autocomplete="off" spellcheck="false"></p>`;
  }
  const options = ["", ...values.map(String)].map((value) => `<option>${escapeHtml(value)}</option>`);
  return `<p>${label}<select ${attributes}>${options.join("")}</select></p>`;
}

function controls(place: "path" | "query", shape: unknown): string {
  const { properties = {}, required = [] } = (shape ?? {}) as {
    properties?: Record<string, Field>;
    required?: string[];
  };
  return Object.entries(properties)
    .map(([name, field]) => control(place, name, field, required.includes(name)))
    .join("");
}

export function tryIt(operation: Operation): string {
  const { method, path, params, query, body, bodyExample = {} } = operation;
  const changes = method !== "GET" && operation.cost !== "search";
  const sent = escapeHtml(JSON.stringify(bodyExample, null, 2));
  return `<section class="try" hidden aria-labelledby="try-it"><h2 id="try-it">Try it</h2>
<p>Sends to this server. The key stays in this tab.${changes ? " <strong>This changes the store of the key.</strong>" : ""}</p>
<form data-method="${method}" data-path="${escapeHtml(path)}" data-keyed="${takesIdempotencyKey(operation)}" data-confirm="${method === "DELETE"}">
<p><label for="try-key">API key</label><input id="try-key" type="password" autocomplete="off" spellcheck="false" placeholder="svc_live_..." required></p>
${controls("path", params)}${controls("query", query)}${
  body === undefined
    ? ""
    : `<p><label for="try-body">Body</label><textarea id="try-body" rows="${Math.min(sent.split("\n").length, 20)}" spellcheck="false">${sent}</textarea></p>`
}<p><button>Send ${method}</button></p></form>
<div class="answer" role="status"></div></section>`;
}
