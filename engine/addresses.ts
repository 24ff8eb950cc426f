import { bounds } from "./document.ts";
import { type Entry, readText } from "./read.ts";

/**
 * Picture addresses that a shop's page may load: https only [quiz-documents.pictures]. Shops' pages are https, where
 * browsers block other pictures, and other schemes (`javascript:`, `data:`) contain unchecked code or content.
 */
export const isImageAddress = (text: string): boolean => imageAddress.test(text);

/** A host without user name; no character that would end an attribute, begin a tag, or make it another address. */
const imageAddress = /^https:\/\/[^\s/?#\\@:"<>`\p{Cc}]+(:\d{1,5})?([/?#][^\s\\"<>`\p{Cc}]*)?$/u;

/** Addresses that a link in a text may lead to: http, https and mailto. */
export const isLinkAddress = (text: string): boolean => linkAddress.test(text);

/** Without user names, spaces and characters that would end an attribute or begin a tag. */
const linkAddress =
  /^(?:https?:\/\/[^\s/?#\\@:"<>`\p{Cc}]+(?::\d{1,5})?(?:[/?#][^\s\\"<>`\p{Cc}]*)?|mailto:[^\s\\"<>`\p{Cc}]+)$/iu;

/** Reads a picture's address; an empty field, as an editor leaves it, counts as none. */
export const readImage: Entry<string | null> = (value, path, problems) => {
  const address = readText(value, path, problems, { min: 0, max: bounds.url });
  if (address === "") return null;
  if (!isImageAddress(address)) problems.add(path, "must be an https address");
  return address;
};
