/** An address as it is stored and compared; null if the text is none. */
export function readEmail(text: string): string | null {
  const email = text.trim().normalize("NFC").toLowerCase();
  return email.length <= longestEmail && form.test(email) ? email : null;
}

export const longestEmail = 254;

/** One @, something on both sides, no characters that end a line or a header. */
const form = /^[^\s@\p{Cc}\p{Cf}<>,;:"\\()[\]]{1,64}@[^\s@\p{Cc}\p{Cf}<>,;:"\\()[\]]+$/u;
