import { contrastRatio, readable, readableOn } from "./contrast.ts";
import type { Component, Page, QuizDocument, Theme } from "./document.ts";
import { drawnPairs, paletteOf, schemesOf } from "./theme.ts";

/** What some people could not read or see. */
interface LooksFinding {
  code: "low_contrast" | "image_without_text";
  path: string;
  message: string;
}

export function lintLooks({ pages, presentation }: QuizDocument): LooksFinding[] {
  return [
    ...lintTheme(presentation?.theme ?? {}),
    ...pages.flatMap((page, index) => lintImages(page, `pages.${index}`)),
  ];
}

/**
 * Pairs of colours that the theme gives at least one of; the player's own fit whatever they stand with. A theme of both
 * schemes is warned of what reads in neither: no one colour reads on a light and on a dark background of the player's.
 */
function lintTheme(theme: Theme): LooksFinding[] {
  const palettes = schemesOf(theme).map((scheme) => paletteOf(theme, scheme));
  return drawnPairs.flatMap(({ text, on }): LooksFinding[] => {
    const pairs = palettes.map((palette) => ({ colour: palette[text], background: palette[on] }));
    const named = theme[text] ? text : theme[on] ? on : null;
    // a surface that nobody chose is the background, or so near to it that the text reads on it
    if (named === null || (on === "surface" && !theme.surface)) return [];
    if (pairs.some(({ colour, background }) => contrastRatio(colour, background) >= readable)) return [];
    return pairs.slice(0, 1).map(({ colour, background }) => {
      const ratio = floored(contrastRatio(colour, background));
      const instead = readableOn(colour, background);
      const message = `${text} ${colour} on ${on} ${background} is ${ratio}:1, below ${readable}:1; the player draws ${instead} instead`;
      return { code: "low_contrast", path: `presentation.theme.${named}`, message };
    });
  });
}

/** Never rounded up to what would be enough. */
const floored = (ratio: number): number => Math.floor(ratio * 100) / 100;

const isBlank = (text: string | null | undefined): boolean => (text ?? "").trim() === "";

/** Pictures that nothing says in words [quiz-documents.lint-images]. */
function lintImages(page: Page, path: string): LooksFinding[] {
  const isNamed = ![page.title, page.subtitle, page.headline].every(isBlank);
  const own = page.image_url && !isNamed ? [unseen(`${path}.image_url`, "the page has no title that says it")] : [];
  return [
    ...own,
    ...page.components.flatMap((component, index) => lintComponent(component, `${path}.components.${index}`)),
  ];
}

function lintComponent(component: Component, path: string): LooksFinding[] {
  if (component.kind === "content") {
    // a tag ends before the next one, so that a text of nothing but beginnings is read once; HTML that is kept has no < in
    // attributes
    const bare = /<img(?![^<>]*\salt\s*=)[^<>]*>/i.test(component.html_text);
    return bare ? [unseen(`${path}.html_text`, 'an img has no alt; alt="" is for one that only decorates')] : [];
  }
  if (component.kind !== "choice" && component.kind !== "image") return [];
  return component.options.flatMap(({ image_url, image_alt, label }, index) =>
    image_url !== null && isBlank(label) && isBlank(image_alt)
      ? [unseen(`${path}.options.${index}.image_alt`, "the option has neither a label nor a text for its picture")]
      : [],
  );
}

const unseen = (path: string, message: string): LooksFinding => ({ code: "image_without_text", path, message });
