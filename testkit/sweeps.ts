/** Whether what `npm test` leaves out is tried: with `TEST_SWEEPS=others`, as by `node hard/run.ts sweeps`. */
export const triesOthers = process.env["TEST_SWEEPS"] === "others";

/**
 * The cases of a sweep through everything that there is, such as every look of every screen: `npm test` tries a few of them,
 * the hard suite `sweeps` the others.
 */
export const swept = <Case>(all: readonly Case[], few: readonly NoInfer<Case>[]): readonly Case[] =>
  triesOthers ? all.filter((one) => !few.includes(one)) : few;
