/** A tag as Intl takes it, also one such as `en_US`, which pages give; null for what is none. */
export function knownLocale(tag: string | null | undefined): string | null {
  if (!tag) return null;
  try {
    return Intl.getCanonicalLocales(tag.replaceAll("_", "-"))[0] ?? null;
  } catch {
    return null;
  }
}
