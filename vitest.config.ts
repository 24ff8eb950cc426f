import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    pool: "forks",
    include: ["{contract,engine,server,testkit,journeys,hard,scripts}/**/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    globalSetup: ["testkit/global-setup.ts"],
  },
});
