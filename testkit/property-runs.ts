/**
 * How often a property that costs seconds is tried: a number that shows the rule, in `npm test`; `TEST_RUNS` times as often
 * where somebody looks for what is rare, as `node hard/run.ts properties` does.
 */
export const propertyRuns = (few: number): number => few * readFactor(process.env["TEST_RUNS"]);

/** How long a property may be tried: as much longer, and a machine that takes long for each try makes fewer. */
export const propertyMs = (ms: number): number => ms * readFactor(process.env["TEST_RUNS"]);

function readFactor(text = "1"): number {
  const factor = Number(text);
  if (!Number.isInteger(factor) || factor < 1)
    throw new Error(`TEST_RUNS has to be a whole number from 1, not ${text}`);
  return factor;
}
