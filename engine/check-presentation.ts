import { readImage } from "./addresses.ts";
import { isColour } from "./contrast.ts";
import { advanceKinds, bounds, directions, type Presentation, progressKinds, schemes, type Theme } from "./document.ts";
import { type Entry, Fields, oneOf, type Problems, readNumber, readText, textUpTo } from "./read.ts";
import { textNames } from "./text-names.ts";

/** Reads a quiz's look and texts [quiz-documents.presentation]. */
export function readPresentation(value: unknown, path: string, problems: Problems): Presentation {
  const fields = new Fields(value, path, problems);
  const presentation: Presentation = {
    ...fields.ifPresent("locale", readLocale),
    ...fields.filled("dir", oneOf(directions)),
    ...fields.ifPresent("theme", readTheme),
    ...fields.filled("progress", oneOf(progressKinds)),
    ...fields.filled("advance", oneOf(advanceKinds)),
    ...fields.ifPresent("cover_image_url", readImage),
    ...fields.ifPresent("description", textUpTo(bounds.text)),
    ...fields.filled("texts", readTexts),
  };
  fields.refuseOthers();
  return presentation;
}

function readTheme(value: unknown, path: string, problems: Problems): Theme {
  const fields = new Fields(value, path, problems);
  const theme: Theme = {
    ...fields.filled("scheme", oneOf(schemes)),
    ...fields.ifPresent("accent", readColour),
    ...fields.ifPresent("background", readColour),
    ...fields.ifPresent("surface", readColour),
    ...fields.ifPresent("text", readColour),
    ...fields.ifPresent("radius", numberWithin({ min: 0, max: bounds.radius })),
    ...fields.ifPresent("font", readFont),
    ...fields.ifPresent("width", numberWithin({ min: bounds.minWidth, max: bounds.maxWidth })),
  };
  fields.refuseOthers();
  return theme;
}

const numberWithin =
  (range: { min: number; max: number }): Entry<number> =>
  (value, path, problems) =>
    readNumber(value, path, problems, range);

/** Reads a text of a certain form; an empty field, as an editor leaves it, counts as none. */
const formed =
  (max: number, hasForm: (text: string) => boolean, otherwise: string): Entry<string | null> =>
  (value, path, problems) => {
    const text = readText(value, path, problems, { min: 0, max });
    if (text === "") return null;
    if (!hasForm(text)) problems.add(path, otherwise);
    return text;
  };

const readColour = formed(bounds.key, isColour, "must be a colour: #rgb, #rrggbb or #rrggbbaa");

/** Excludes characters that would end a CSS declaration or begin an address in it. */
const fontForm = /^(?:var\(--[\w-]+\)|[\p{L}\p{N} ,'"._+&-])+$/u;
const readFont = formed(bounds.key, (text) => fontForm.test(text), "must be inherit, names of fonts, or var(--name)");

/** Uses the browser's own parser, so that no locale of a document makes a function throw. */
function isLocale(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}
const readLocale = formed(bounds.locale, isLocale, "must be a language tag, such as en or pt-BR");

/** Blank texts would leave a button without a name, so they are dropped and the player's own apply. */
function readTexts(value: unknown, path: string, problems: Problems): Record<string, string> {
  const fields = new Fields(value, path, problems);
  const texts = textNames.flatMap((name) => Object.entries(fields.filled(name, textUpTo(bounds.text))));
  fields.refuseOthers();
  return Object.fromEntries(texts.filter(([, words]) => words.trim() !== ""));
}
