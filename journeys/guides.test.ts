import { expect, it } from "vitest";
import { blocksOf, elsewhere, notRun, pages, plan } from "./guide-shell.ts";

it("all shell lines of the guides are run by the hard tests, but for those that say why not [reference.guides]", () => {
  const run = plan.flatMap((step) => ("page" in step ? [`${step.page} ${step.block}`] : []));
  const known = [...run, ...Object.keys(notRun), ...Object.keys(elsewhere)];
  const all = pages.flatMap((page) => blocksOf(page).map((_, at) => `${page} ${at}`));
  expect(known.toSorted()).toEqual(all.toSorted());
});
