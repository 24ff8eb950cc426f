/**
 * How many times slower than usual the machine or the database is that tests run on: TEST_SLOWNESS, such as 3 on a busy
 * machine or a Citus cluster. Bounds of what has to be quick, and time-outs, are so many times as long.
 */
export const slowness = readSlowness(process.env["TEST_SLOWNESS"]);

/**
 * How many times what an idle machine needs time-outs are: they end what hangs, and nothing is wrong with what takes its time
 * beside another load.
 */
export const patience = 4 * slowness;

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

/** For Vite: files of tests with time-outs as patience has them. */
export const slowTests = {
  name: "slow-tests",
  enforce: "pre" as const,
  transform: (code: string, file: string): string | undefined =>
    /\.test\.tsx?$/.test(file) ? scaleTimeouts(code, patience) : undefined,
};
