/**
 * Folds texts for case-insensitive comparison: NFC and lower case, both by Node, for stored texts and for queries alike
 * [search.texts].
 */
export const foldText = (text: string): string => text.normalize("NFC").toLowerCase().normalize("NFC");
