import { sampleIds } from "../../contract/parameter-examples.ts";
import { ask, type DemoProgram, until } from "./demo-program.ts";

/** What the demo shop has in the place of the ids of the contract's examples. */

type Json = ReturnType<typeof JSON.parse>;

/** Calls `/v1`; throws unless it succeeds. */
export async function call({ url, key }: DemoProgram, method: string, path: string, body?: unknown): Promise<Json> {
  const headers = {
    authorization: `Bearer ${key}`,
    ...(body === undefined ? {} : { "content-type": "application/json" }),
  };
  const answer = await ask(url + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`);
  return answer.body.length === 0 ? null : JSON.parse(answer.body.toString());
}

/** One thing of each kind, created where the demo has none. */
export async function demoIds(program: DemoProgram): Promise<Record<string, string>> {
  const first = async (path: string): Promise<string | undefined> => (await call(program, "GET", path)).data[0]?.id;
  const { quizId } = program;
  await call(program, "POST", "/v1/exports", { dataset: "quiz_analytics", format: "json" });
  const endpoint = await call(program, "POST", "/v1/webhooks", {
    ...{ url: "https://receiver.example.com/hooks", topics: ["quiz.finished"] },
  });
  await call(program, "POST", `/v1/webhooks/${endpoint.id}/ping`);
  return {
    quiz_id: quizId,
    version_id: (await first(`/v1/quizzes/${quizId}/versions`)) ?? "",
    profile_id: await until("people", () => first("/v1/profiles")),
    export_id: (await first("/v1/exports")) ?? "",
    endpoint_id: endpoint.id,
    delivery_id: await until("a delivery", () => first(`/v1/webhooks/${endpoint.id}/deliveries`)),
  };
}

export const withIds = (text: string, ids: Readonly<Record<string, string>>): string =>
  Object.entries(sampleIds).reduce((written, [name, sample]) => written.replaceAll(sample, ids[name] ?? sample), text);
