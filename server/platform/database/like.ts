/** A LIKE pattern for texts that contain this one; its special characters are escaped. */
export const containing = (text: string): string => `%${text.replaceAll(/[\\%_]/g, "\\$&")}%`;
