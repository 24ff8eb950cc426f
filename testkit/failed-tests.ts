import { afterAll, afterEach } from "vitest";
import { closeOpenPages, describeOpenPages } from "./open-pages.ts";

/** For every test file: a test that fails beside an open page says what it shows and waits for. */

afterEach(async ({ task }) => {
  if (task.result?.state !== "fail") return;
  for (const page of await describeOpenPages()) console.warn(`Open when a test failed: ${page}`);
});

afterAll(closeOpenPages);
