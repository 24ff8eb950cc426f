/** As in package.json. */
export const programVersion = "0.1.0";
