/**
 * What every recipe shares: a key from the environment, one retry loop, and pages walked to their end. Runs on Node 20 and
 * newer, without dependencies.
 *
 *   export QUIZSTORE_URL=http://localhost:8080 QUIZSTORE_KEY=svc_live_...
 */

const base = process.env.QUIZSTORE_URL ?? "http://localhost:8080";
const attempts = 5;

const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/** Answers that another attempt may change: the limiter's, and those of a dependency that is away or slow. */
const passing = new Set([429, 502, 503, 504]);

/** One request with the key; waits as `Retry-After` says. A refusal becomes an error with its problem as the cause. */
export async function send(method, path, { body, headers = {} } = {}) {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(new URL(path, base), {
      method,
      headers: {
        authorization: `Bearer ${process.env.QUIZSTORE_KEY}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (response.ok || response.status === 304) return response;
    if (passing.has(response.status) && attempt < attempts) {
      await response.body?.cancel();
      await pause(Number(response.headers.get("retry-after") ?? 2 ** attempt));
      continue;
    }
    const problem = await response.json();
    const fields = (problem.errors ?? []).map(({ field, message }) => `${field} ${message}`).join("; ");
    const id = response.headers.get("request-id");
    throw new Error(`${method} ${path}: ${problem.title} (${fields || problem.detail}) ${id}`, { cause: problem });
  }
}

export const read = (path) => send("GET", path).then((response) => response.json());

/** Every row of a list: pages until `has_more` is false. */
export async function* walk(path, { method = "GET", body } = {}) {
  let cursor = null;
  do {
    const paged = new URL(path, base);
    if (cursor !== null) paged.searchParams.set("cursor", cursor);
    const page = await send(method, paged.pathname + paged.search, { body }).then((response) => response.json());
    yield* page.data;
    cursor = page.has_more ? page.next_cursor : null;
  } while (cursor !== null);
}
