import type { DemoQuizzes } from "../../../../demo/storefront/layout.ts";

/** The demo shop, as its storefront needs it. */
export interface DemoFront {
  /** UUID */
  storeId: string;
  quizzes: DemoQuizzes;
}

/** Knows the demo shop once there is one; until then, and where there is none, its pages are not found. */
export interface DemoSource {
  readonly front: DemoFront | null;
}
