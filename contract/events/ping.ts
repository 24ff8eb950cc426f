import { Type } from "typebox";
import { id } from "../common.ts";
import { topic } from "./topic.ts";

/** Sent on request, never subscribed to. */
export const ping = topic({
  meaning: "You asked for it",
  about: "shop",
  object: Type.Object({ endpoint_id: id("whe") }, { title: "Ping" }),
  example: { endpoint_id: "whe_0198f2c4d4e37f608a9b0c1d2e3f4a5b" },
  created: "2026-09-01T08:20:00.000Z",
});
