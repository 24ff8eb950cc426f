/**
 * JSON that PostgreSQL accepts, from texts of clients: it refuses unpaired surrogates [api.texts], which `JSON.stringify`
 * writes as escapes. Request bodies never contain NUL.
 */
export function storedJson(value: unknown): string {
  const text = JSON.stringify(value);
  // an escaped backslash is passed over, so that what follows it is not taken for an escape
  return text.includes("\\ud")
    ? text.replace(/\\\\|\\ud[89a-f][0-9a-f]{2}/g, (found) => (found === "\\\\" ? found : "\ufffd"))
    : text;
}
