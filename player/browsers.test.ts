import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { oldestBrowsers } from "../server/web/targets.ts";
import { builtPlayer } from "../testkit/built-player.ts";
import { newerApis } from "../testkit/newer-apis.ts";

/** What each script looks for before it is used. */
const askedFor: Readonly<Record<string, readonly string[]>> = {
  embed: ["document.prerendering"],
  main: [".getHighEntropyValues", ".setHTML", "navigator.userAgentData"],
  purify: [".createPolicy", ".getAttributeType"],
};
const { chrome, firefox, safari } = oldestBrowsers;
const versions = { ...oldestBrowsers, chrome_android: chrome, firefox_android: firefox, safari_ios: safari };
const docs = join(import.meta.dirname, "../docs");

describe("the oldest browsers", () => {
  it("have every function that the built scripts call without asking for it [player.browsers]", async () => {
    const { manifest, files } = await builtPlayer();
    const newer = manifest.files.flatMap(({ path }) => {
      const name = /(\w+)(-[\w-]{8})?\.js$/.exec(path)?.[1] ?? path;
      const asked = askedFor[name] ?? [];
      const found = newerApis(String(files.file(path)?.plain), versions);
      return found.filter((each) => !asked.includes(each)).map((each) => `${name}: ${each}`);
    });
    expect(newer).toEqual([]);
  });

  it("are those that the documentation names [player.browsers]", () => {
    const named = `Chrome and Edge ${chrome}, Firefox ${firefox} and Safari ${safari}`;
    for (const page of ["embedding.md", "decisions/player.md", "rules/player.md"])
      expect([page, readFileSync(join(docs, page), "utf8").replace(/\s+/g, " ").includes(named)]).toEqual([page, true]);
  });

  it("are known to lack what is newer than they are [player.browsers]", () => {
    const lacked = {
      "a.isWellFormed()": ".isWellFormed",
      "Map.groupBy(a, b)": "Map.groupBy",
      "a.values().map(b)": "Iterator.map",
      "a.matchAll(b).toArray()": "Iterator.toArray",
      "[].toSorted()": ".toSorted",
      "a.isSubsetOf(b)": ".isSubsetOf",
      "Promise.withResolvers()": "Promise.withResolvers",
      "URL.canParse(a)": "URL.canParse",
      "new CloseWatcher()": "CloseWatcher",
    };
    for (const [code, found] of Object.entries(lacked)) expect(newerApis(code, versions)).toEqual([found]);
    const had = [
      "structuredClone(a)",
      "a.map(b)",
      "Object.entries(a).every(b)",
      "a.at(-1)",
      "a.findLast(b)",
      "a.union=1;a.union()",
    ];
    for (const code of had) expect([code, newerApis(code, versions)]).toEqual([code, []]);
  });
});
