const made = new Map<string, CSSStyleSheet>();

/**
 * A constructed style sheet, which a page's `style-src` does not block; shared by all quizzes of a page
 * [player.strict-style].
 */
export function sheetOf(css: string): CSSStyleSheet {
  const known = made.get(css);
  if (known) return known;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  made.set(css, sheet);
  return sheet;
}
