/**
 * Addresses that a page of a shop shows as pictures: https alone. Shops' pages are https, where a browser shows no
 * other, and an address of another kind (`javascript:`, `data:`) is code or content that nobody looked at.
 */
export const isImageAddress = (text: string): boolean => imageAddress.test(text);

/** A host without user name; nothing that would end an attribute, begin a tag, or be read as another address. */
const imageAddress = /^https:\/\/[^\s/?#\\@:"<>`\p{Cc}]+(:\d{1,5})?([/?#][^\s\\"<>`\p{Cc}]*)?$/u;
