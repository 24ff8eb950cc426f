import { describe, expect, it } from "vitest";
import { isQuestion, kinds } from "../../../engine/kinds/value.ts";
import { quizDocument } from "../../../testkit/document-parts.ts";
import { freshComponent } from "./fresh.ts";
import { keysFor } from "./keys.ts";

describe("a new question", () => {
  it.each(kinds)("of the kind %s must be answered if it can be [editor.required]", (kind) => {
    const component = freshComponent(keysFor(quizDocument([]), [], Math.random), kind);
    expect("required" in component && component.required).toBe(isQuestion(component));
  });
});
