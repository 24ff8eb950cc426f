import type { Component, Page } from "../../../engine/document.ts";
import { type QuestionKind, valueOfKind } from "../../../engine/kinds/value.ts";

/** The names of the kinds of pages and components. */
export const kindNames: Readonly<Record<Component["kind"], string>> = {
  choice: "Choice",
  image: "Picture choice",
  text: "Text answer",
  number: "Number",
  date: "Date",
  email: "Email",
  phone: "Phone",
  content: "Text block",
  formula: "Formula",
  products: "Products",
};

/** In the order in which authors choose from them. */
export const componentKinds = Object.keys(kindNames) as readonly Component["kind"][];

export const questionKinds = componentKinds.filter((kind): kind is QuestionKind => valueOfKind[kind] !== "none");

export const pageKindNames: Readonly<Record<Page["kind"], string>> = {
  question: "Question page",
  content: "Content page",
  result: "Result page",
};
