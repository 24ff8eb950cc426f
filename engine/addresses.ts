import { bounds } from "./document.ts";
import { type Entry, readText } from "./read.ts";

/**
 * Addresses that a page of a shop shows as pictures: https alone [quiz-documents.pictures]. Shops' pages are https,
 * where a browser shows no other, and an address of another kind (`javascript:`, `data:`) is code or content that
 * nobody looked at.
 */
export const isImageAddress = (text: string): boolean => imageAddress.test(text);

/** A host without user name; nothing that would end an attribute, begin a tag, or be read as another address. */
const imageAddress = /^https:\/\/[^\s/?#\\@:"<>`\p{Cc}]+(:\d{1,5})?([/?#][^\s\\"<>`\p{Cc}]*)?$/u;

/** Addresses that a link in a text may lead to: http, https and mailto. */
export const isLinkAddress = (text: string): boolean => linkAddress.test(text);

/** Without user names, blanks and what would end an attribute or begin a tag. */
const linkAddress =
  /^(?:https?:\/\/[^\s/?#\\@:"<>`\p{Cc}]+(?::\d{1,5})?(?:[/?#][^\s\\"<>`\p{Cc}]*)?|mailto:[^\s\\"<>`\p{Cc}]+)$/iu;

/** Reads a picture's address; none where the field is empty, as an editor leaves it. */
export const readImage: Entry<string | null> = (value, path, problems) => {
  const address = readText(value, path, problems, { min: 0, max: bounds.url });
  if (address === "") return null;
  if (!isImageAddress(address)) problems.add(path, "must be an https address");
  return address;
};
