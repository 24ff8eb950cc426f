/** The same as in package.json. */
export const programVersion = "0.1.0";
