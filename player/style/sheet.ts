const made = new Map<string, CSSStyleSheet>();

/** Rules as a sheet that a page's `style-src` does not forbid; one for all quizzes of a page [player.strict-style]. */
export function sheetOf(css: string): CSSStyleSheet {
  const known = made.get(css);
  if (known) return known;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  made.set(css, sheet);
  return sheet;
}
