/** The HTML that a quiz document may contain. The server reduces drafts and versions to the same list. */
export const allowedElements = [
  "p",
  "br",
  "strong",
  "em",
  "u",
  "a",
  "ul",
  "ol",
  "li",
  "h2",
  "h3",
  "h4",
  "blockquote",
  "img",
] as const;

export const allowedAttributes: Readonly<Record<string, readonly string[]>> = {
  a: ["href"],
  img: ["src", "alt", "width", "height"],
};
