/**
 * How often an expensive property, which takes seconds, is tried: in `npm test` often enough to show the rule;
 * `TEST_RUNS` times as often to search for rare failures, as `node hard/run.ts properties` does.
 */
export const propertyRuns = (few: number): number => few * readFactor(process.env["TEST_RUNS"]);

/** Time limit for trying a property, scaled likewise; a slow machine then makes fewer tries. */
export const propertyMs = (ms: number): number => ms * readFactor(process.env["TEST_RUNS"]);

function readFactor(text = "1"): number {
  const factor = Number(text);
  if (!Number.isInteger(factor) || factor < 1)
    throw new Error(`TEST_RUNS has to be a whole number from 1, not ${text}`);
  return factor;
}
