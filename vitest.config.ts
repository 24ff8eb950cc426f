import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    pool: "forks",
    // a process for each file would spend a third of its time on reading the program anew
    isolate: false,
    include: ["{contract,engine,server,testkit,journeys,hard,scripts}/**/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    globalSetup: ["testkit/global-setup.ts"],
  },
});
