/** Quotes a text for the shell. Within single quotes, only the single quote itself is special. */
export const shellText = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
