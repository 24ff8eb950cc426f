import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { analyticsOperations } from "../../contract/analytics.ts";
import { type ApiCall, asCurl, asTypeScript, pathOf } from "./api-call.ts";
import * as questions from "./questions.ts";

const quizId = "quiz_0198f2c4a1b07c3e9d5f6a7b8c9d0e1f";
const common = { from: "2026-01-01", to: "2026-01-31", tz: "Europe/Berlin", channel: "email" };

const asked: ApiCall[] = [
  questions.summary("Europe/Berlin", "30d"),
  questions.comparison(common, { sort: "revenue", dir: "desc", q: 'l\'été & "co" $HOME `x`' }),
  ...[null, quizId].flatMap((id) => [
    questions.overviewOf(id, common),
    questions.breakdownOf(id, common, "device"),
    questions.productsOf(id, common, { sort: "units", bucket: undefined }),
  ]),
  questions.quizFunnel(quizId, common),
  questions.quizPaths(quizId, common, { cohort: "left" }),
  questions.quizAnswers(quizId, common, { component_key: "skin-1" }),
  questions.quizTraffic(quizId, common, { by: "utm_source", limit: 25 }),
];

describe("the API call of a picture", () => {
  it("is one of the contract, with parameters that it knows, for every question [dashboard-figures.api-call]", () => {
    const known = new Map(analyticsOperations.map((operation) => [operation.id as string, operation]));
    for (const call of asked) {
      const operation = known.get(call.operation);
      expect(call.path).toBe(operation?.path);
      const takes = Object.keys((operation?.query as { properties: object } | undefined)?.properties ?? {});
      expect(takes).toEqual(expect.arrayContaining(Object.keys(call.query ?? {})));
    }
    expect(new Set(asked.map(({ operation }) => operation)).size).toBe(known.size);
  });

  it("reaches the server through a shell as it was meant, whatever the texts hold [dashboard-figures.api-call]", async () => {
    for (const call of asked) {
      // a shell reads the words; what curl would be given stands a line each
      const words = asCurl(call, "https://shop.example").replace(/^curl/, "printf '%s\\n'");
      const { stdout } = await promisify(execFile)("sh", ["-c", words], { env: { QUIZSTORE_KEY: "key" } });
      const given = stdout.trimEnd().split("\n");
      const queried = given.filter((_, index) => given[index - 1] === "--data-urlencode");
      expect(given).toEqual([
        "--get",
        `https://shop.example${pathOf(call)}`,
        "--header",
        "Authorization: Bearer key",
        ...queried.flatMap((one) => ["--data-urlencode", one]),
      ]);
      expect(Object.fromEntries(queried.map((one) => [one.split("=", 1)[0], one.slice(one.indexOf("=") + 1)]))).toEqual(
        Object.fromEntries(
          Object.entries(call.query ?? {}).flatMap(([name, value]) =>
            value === undefined ? [] : [[name, String(value)]],
          ),
        ),
      );
    }
  });

  it("is written for the client, with path and query as they are [dashboard-figures.api-call]", () => {
    expect(
      asTypeScript(questions.quizTraffic(quizId, { tz: "UTC" }, { by: "utm_source" }), "https://shop.example"),
    ).toBe(
      `import { createClient, getQuizAnalyticsTraffic } from "@quizstore/client";

const client = createClient({ baseUrl: "https://shop.example", apiKey: process.env.QUIZSTORE_KEY });
const answer = await getQuizAnalyticsTraffic(client, {
  path: { quiz_id: "${quizId}" },
  query: { tz: "UTC", by: "utm_source" },
});`,
    );
  });
});
