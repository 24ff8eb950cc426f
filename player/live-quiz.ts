import type { QuizDocument } from "../engine/document.ts";
import type { Expression } from "../engine/evaluate.ts";
import type { Looks } from "../engine/looks.ts";

/** An amount of money as a decimal text, with its ISO 4217 code. */
export interface Price {
  amount: string;
  currency: string;
}

export interface CatalogVariant {
  variant_id: string;
  title: string | null;
  price: Price | null;
  /** null: nobody said */
  available: boolean | null;
}

export interface CatalogProduct {
  product_id: string;
  title: string;
  handle: string | null;
  /** of the product's page in the shop */
  url: string | null;
  image_url: string | null;
  variants: CatalogVariant[];
}

/** The answer of `GET /storefront/v1/quizzes/{quiz_id}`: all that a shopper's browser needs to run a quiz. */
export interface LiveQuiz {
  quiz_id: string;
  name: string;
  version_id: string;
  version_number: number;
  document: QuizDocument;
  /** what the server has worked out of the document for this player; formulas by their expressions */
  player: { looks: Looks; formulas: Readonly<Record<string, Expression>> };
  store: { name: string; currency: string };
  /** the products that the document names and the shop has */
  catalog: CatalogProduct[];
}

/** The answer of `GET /storefront/v1/previews/{token}`. A preview sends no events: nothing of it is counted. */
export interface PreviewQuiz extends Omit<LiveQuiz, "version_id" | "version_number"> {
  /** null: of a draft */
  version_id: string | null;
  version_number: number | null;
  preview: true;
}
