/** A text as a word of a shell. Nothing between these quotes is special to it but their own kind. */
export const shellText = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
