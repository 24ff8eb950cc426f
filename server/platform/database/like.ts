/** A pattern of LIKE for texts that hold this one, whose own characters stand for themselves. */
export const containing = (text: string): string => `%${text.replaceAll(/[\\%_]/g, "\\$&")}%`;
