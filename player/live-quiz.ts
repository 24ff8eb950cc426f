import type { QuizDocument } from "../engine/document.ts";
import type { Expression } from "../engine/evaluate.ts";
import type { Looks } from "../engine/looks.ts";

/** An amount of money as a decimal text, with its ISO 4217 currency code. */
export interface Price {
  amount: string;
  currency: string;
}

export interface CatalogVariant {
  variant_id: string;
  title: string | null;
  price: Price | null;
  /** null: unknown */
  available: boolean | null;
}

export interface CatalogProduct {
  product_id: string;
  title: string;
  handle: string | null;
  /** address of the product's page in the shop */
  url: string | null;
  image_url: string | null;
  variants: CatalogVariant[];
}

/** The response of `GET /storefront/v1/quizzes/{quiz_id}`: everything that a browser needs to run a quiz. */
export interface LiveQuiz {
  quiz_id: string;
  name: string;
  version_id: string;
  version_number: number;
  document: QuizDocument;
  /** what the server computed from the document for this player; parsed formulas by their source text */
  player: {
    looks: Looks;
    formulas: Readonly<Record<string, Expression>>;
    /** what the document needs beyond the player's main part; absent in answers of a server that knew of no needs */
    needs?: readonly string[];
  };
  store: { name: string; currency: string };
  /** the products that the document names and the shop has */
  catalog: CatalogProduct[];
}

/** The response of `GET /storefront/v1/previews/{token}`. A preview sends no events and counts nowhere. */
export interface PreviewQuiz extends Omit<LiveQuiz, "version_id" | "version_number"> {
  /** null: a draft */
  version_id: string | null;
  version_number: number | null;
  preview: true;
}
