import { defineConfig } from "vitest/config";
import { slowness, slowTests } from "./testkit/slowness.ts";

export default defineConfig({
  plugins: [slowTests],
  test: {
    pool: "forks",
    // a process for each file would spend a third of its time on reading the program anew
    isolate: false,
    include: ["{contract,engine,server,demo,testkit,journeys,hard,scripts}/**/*.test.ts"],
    testTimeout: 30_000 * slowness,
    hookTimeout: 60_000 * slowness,
    globalSetup: ["testkit/global-setup.ts"],
  },
});
