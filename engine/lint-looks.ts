import { contrastRatio, readable, readableOn } from "./contrast.ts";
import type { Component, Page, QuizDocument, Theme } from "./document.ts";
import { isChoice } from "./kinds/value.ts";
import { drawnPairs, paletteOf, schemesOf } from "./theme.ts";

/** Something that some people could not read or see. */
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
 * Checks colour pairs of which the theme sets at least one; the player's own fit any. With a theme for both schemes it
 * only warns about pairs that are unreadable in both: no single colour is readable on both a light and a dark
 * background of the player's.
 */
function lintTheme(theme: Theme): LooksFinding[] {
  const palettes = schemesOf(theme).map((scheme) => paletteOf(theme, scheme));
  return drawnPairs.flatMap(({ text, on }): LooksFinding[] => {
    const pairs = palettes.map((palette) => ({ colour: palette[text], background: palette[on] }));
    const named = theme[text] ? text : theme[on] ? on : null;
    // an unset surface is the background, or so close to it that the text is readable
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

/** Rounds down, so that an insufficient ratio never looks sufficient. */
const floored = (ratio: number): number => Math.floor(ratio * 100) / 100;

const isBlank = (text: string | null | undefined): boolean => (text ?? "").trim() === "";

/** Pictures without a text alternative [quiz-documents.lint-images]. */
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
    // a tag ends before the next one, so that a text of nothing but tag beginnings is scanned once; stored HTML has no
    // < in attributes
    const bare = /<img(?![^<>]*\salt\s*=)[^<>]*>/i.test(component.html_text);
    return bare ? [unseen(`${path}.html_text`, 'an img has no alt; alt="" is for one that only decorates')] : [];
  }
  if (!isChoice(component)) return [];
  return component.options.flatMap(({ image_url, image_alt, label }, index) =>
    image_url !== null && isBlank(label) && isBlank(image_alt)
      ? [unseen(`${path}.options.${index}.image_alt`, "the option has neither a label nor a text for its picture")]
      : [],
  );
}

const unseen = (path: string, message: string): LooksFinding => ({ code: "image_without_text", path, message });
