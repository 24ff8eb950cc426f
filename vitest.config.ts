import { defineConfig } from "vitest/config";
import { LongestFirst } from "./testkit/longest-first.ts";
import { patience, slowTests } from "./testkit/slowness.ts";

export default defineConfig({
  plugins: [slowTests],
  oxc: { jsx: { runtime: "automatic", importSource: "#draw", development: false } },
  test: {
    sequence: { sequencer: LongestFirst },
    pool: "forks",
    // a process for each file would spend a third of its time on reading the program anew
    isolate: false,
    // other threads of V8 take from the tests what they give to one of them, and more of what a test leaves is collected at
    // once: a sixth less of the processor time
    execArgv: ["--single-threaded", "--max-semi-space-size=64"],
    include: ["{contract,engine,client,dashboard,player,server,demo,testkit,journeys,hard,scripts}/**/*.test.{ts,tsx}"],
    testTimeout: 30_000 * patience,
    hookTimeout: 60_000 * patience,
    expect: { poll: { timeout: 5_000 * patience } },
    setupFiles: ["testkit/failed-tests.ts"],
    globalSetup: ["testkit/global-setup.ts", "journeys/global-setup.ts"],
  },
});
