import type { Component, QuizDocument } from "../../engine/document.ts";
import type { Parts } from "./stage.ts";

/** Fetches what this quiz has and others lack, all of it at once. */
export async function loadParts({ pages }: QuizDocument): Promise<Parts> {
  const kinds = new Set(pages.flatMap((page) => page.components.map(({ kind }) => kind)));
  const has = (...wanted: Component["kind"][]): boolean => wanted.some((kind) => kinds.has(kind));
  const [fields, offers, content] = await Promise.all([
    has("text", "email", "phone", "number", "date") ? import("./typed-field.tsx") : null,
    has("products") ? import("./products.tsx") : null,
    has("content", "formula") ? import("./content.tsx") : null,
  ]);
  await content?.prepareSanitiser();
  return { fields, offers, content };
}
