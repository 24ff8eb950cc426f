import type { DemoQuizzes } from "../../../../demo/storefront/layout.ts";

/** The demo shop's data for its storefront. */
export interface DemoFront {
  /** UUID */
  storeId: string;
  quizzes: DemoQuizzes;
}

/** Provides the demo shop once it exists; until then its pages are not found. */
export interface DemoSource {
  readonly front: DemoFront | null;
}
