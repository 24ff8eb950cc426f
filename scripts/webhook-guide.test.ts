import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventEnvelope, eventExamples, eventTopics, pingTopic, topics } from "../contract/events.ts";
import { newValidator } from "../server/platform/http/shapes.ts";
import { signatureHeaders } from "../server/webhooks/send/sign.ts";

/** The guide to webhooks: its examples are the contract's, and its snippets verify what the program signs. */

const root = join(import.meta.dirname, "..");
const guideFile = join(root, "docs/webhooks.md");
const guide = await readFile(guideFile, "utf8");

const marker = "<!-- examples:";

function withExamples(text: string): string {
  const start = text.indexOf(marker);
  const head = text.slice(0, text.indexOf("\n", start) + 1);
  const sections = eventExamples.map(
    (example) => `\n### ${example.type}\n\n\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\`\n`,
  );
  return head + sections.join("");
}

describe("examples of events [webhooks.envelope]", () => {
  it("there is one for every topic", () => {
    expect(eventExamples.map(({ type }) => type)).toEqual([...eventTopics, pingTopic]);
    for (const topic of eventTopics) expect(guide).toContain(`| \`${topic}\` |`);
  });

  it.for(eventExamples.map((example) => [example.type, example] as const))("%s has its shape", ([type, example]) => {
    const validate = newValidator().compile(eventEnvelope(type, topics[type].object));
    expect([validate(example), validate.errors]).toEqual([true, null]);
  });

  it("stand in docs/webhooks.md as the contract has them (npx vitest run scripts/webhook-guide.test.ts -u)", async () => {
    expect(guide).toContain(marker);
    await expect(withExamples(guide)).toMatchFileSnapshot(guideFile);
  });
});

interface Snippet {
  readEvent(secret: string, headers: Record<string, string>, body: string): unknown;
}

describe("the snippets of docs/webhooks.md [webhooks.signature]", () => {
  const sources = [...guide.matchAll(/```js\n([\s\S]*?)```/g)].map(([, source = ""]) => source);
  const snippets: Snippet[] = [];
  let folder = "";
  beforeAll(async () => {
    // inside the project, where they find the package that they import
    folder = await mkdtemp(join(root, "node_modules/.webhook-guide-"));
    for (const [index, source] of sources.entries()) {
      const file = join(folder, `snippet-${index}.mjs`);
      await writeFile(file, source);
      snippets.push(await import(/* @vite-ignore */ pathToFileURL(file).href));
    }
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const newSecret = () => `whsec_${randomBytes(32).toString("base64")}`;
  const event = { id: "evt_1", data: { object: { name: "Zoë" } } };
  const body = JSON.stringify(event);
  const signed = (secrets: string[], { body: of = body, age = 0 } = {}) => {
    const timestamp = Math.floor(Date.now() / 1000) - age;
    return signatureHeaders({ id: "evt_1", timestamp, body: Buffer.from(of) }, secrets);
  };

  it("are two", () => expect(snippets.map((snippet) => typeof snippet.readEvent)).toEqual(["function", "function"]));

  it("take what is signed, also while two secrets are valid", () => {
    const [old, next] = [newSecret(), newSecret()];
    for (const { readEvent } of snippets) {
      expect(readEvent(old, signed([old]), body)).toEqual(event);
      expect(readEvent(old, signed([next, old]), body)).toEqual(event);
      expect(readEvent(next, signed([next, old]), body)).toEqual(event);
    }
  });

  it("refuse other secrets, other bodies, other ids and old requests", () => {
    const secret = newSecret();
    const headers = signed([secret]);
    for (const { readEvent } of snippets) {
      expect(() => readEvent(newSecret(), headers, body)).toThrow();
      expect(() => readEvent(secret, headers, body.replace("Zoë", "Eve"))).toThrow();
      expect(() => readEvent(secret, { ...headers, "webhook-id": "evt_2" }, body)).toThrow();
      expect(() => readEvent(secret, { ...headers, "webhook-signature": "v1," }, body)).toThrow();
      expect(() => readEvent(secret, {}, body)).toThrow();
      expect(() => readEvent(secret, signed([secret], { age: 301 }), body)).toThrow();
      expect(() => readEvent(secret, signed([secret], { age: -360 }), body)).toThrow();
    }
  });
});
