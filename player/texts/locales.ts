/** A language tag that Intl accepts, also from one such as `en_US`, which pages use; null if it is invalid. */
export function knownLocale(tag: string | null | undefined): string | null {
  if (!tag) return null;
  try {
    return Intl.getCanonicalLocales(tag.replaceAll("_", "-"))[0] ?? null;
  } catch {
    return null;
  }
}
