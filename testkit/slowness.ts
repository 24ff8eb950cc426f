/**
 * How many times slower than usual the test machine or its database is: TEST_SLOWNESS, such as 3 on a busy machine or a
 * Citus cluster. Limits for what has to be quick, and time-outs, are multiplied by it.
 */
export const slowness = readSlowness(process.env["TEST_SLOWNESS"]);

/**
 * Factor of time-outs compared with an idle machine: they end what hangs, but a slow run beside other load is not a
 * failure.
 */
export const patience = 4 * slowness;

function readSlowness(text = "1"): number {
  const factor = Number(text);
  if (!(factor >= 1 && factor <= 100)) throw new Error(`TEST_SLOWNESS has to be a number from 1 to 100, not ${text}`);
  return factor;
}

/** Scales the time-outs in a test file's text: `}, 20_000);`, also on lines of their own, and `{ timeout: 20_000 }`. */
export const scaleTimeouts = (code: string, factor: number): string =>
  code.replace(
    /^(\s*\},\s+)(\d[\d_]{3,})(,?\s*\);)$|(\{ timeout: )(\d[\d_]*)( \})/gm,
    (_, open, ms, close, openOption, msOption, closeOption) =>
      `${open ?? openOption}${Number((ms ?? msOption).replaceAll("_", "")) * factor}${close ?? closeOption}`,
  );

/** For Vite: scales the time-outs in test files by `patience`. */
export const slowTests = {
  name: "slow-tests",
  enforce: "pre" as const,
  transform: (code: string, file: string): string | undefined =>
    /\.test\.tsx?$/.test(file) ? scaleTimeouts(code, patience) : undefined,
};
