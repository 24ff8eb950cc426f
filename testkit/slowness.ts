/**
 * How many times slower than usual the machine or the database is that tests run on: TEST_SLOWNESS, such as 3 on a busy
 * machine or a Citus cluster. Time-outs of tests are so many times as long.
 */
export const slowness = readSlowness(process.env["TEST_SLOWNESS"]);

function readSlowness(text = "1"): number {
  const factor = Number(text);
  if (!(factor >= 1 && factor <= 100)) throw new Error(`TEST_SLOWNESS has to be a number from 1 to 100, not ${text}`);
  return factor;
}

/** The time-outs that tests state for themselves, in a file's text: `}, 20_000);` and `{ timeout: 20_000 }`. */
export const scaleTimeouts = (code: string, factor: number): string =>
  code.replace(
    /^(\s*\}, )(\d[\d_]*)(\);)$|(\{ timeout: )(\d[\d_]*)( \})/gm,
    (_, open, ms, close, openOption, msOption, closeOption) =>
      `${open ?? openOption}${Number((ms ?? msOption).replaceAll("_", "")) * factor}${close ?? closeOption}`,
  );

/** For Vite: files of tests as a slow machine needs them. */
export const slowTests = {
  name: "slow-tests",
  enforce: "pre" as const,
  transform: (code: string, file: string): string | undefined =>
    slowness !== 1 && /\.test\.tsx?$/.test(file) ? scaleTimeouts(code, slowness) : undefined,
};
