/**
 * How texts are compared without case: NFC and lower case, both by Node, wherever they are stored or asked for
 * [search.texts].
 */
export const foldText = (text: string): string => text.normalize("NFC").toLowerCase().normalize("NFC");
