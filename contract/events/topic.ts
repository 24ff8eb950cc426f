import type { Static, TSchema } from "typebox";

/** What an event is about. All but "shop" are about a shopper: their objects may hold contacts. */
export type About = "session" | "contact" | "person" | "shop";

/** Everything that the contract says of one topic of webhook events. */
export interface Topic<Shape extends TSchema = TSchema> {
  /** when it is sent */
  meaning: string;
  about: About;
  /** `data.object` of the envelope */
  object: Shape;
  /** as sent to an endpoint with include_pii */
  example: Static<Shape>;
  /** the time of the example's event */
  created: string;
}

/** Types the example by the shape beside it. */
export const topic = <Shape extends TSchema>(given: Topic<Shape>): Topic<Shape> => given;
