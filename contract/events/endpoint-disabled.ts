import { Type } from "typebox";
import { dateTime, id, nullable, oneOf } from "../common.ts";
import { text } from "./session.ts";
import { topic } from "./topic.ts";

const created = "2026-09-15T04:10:00.000Z";

export const endpointDisabled = topic({
  meaning: "Another endpoint was disabled by the service",
  about: "shop",
  object: Type.Object(
    {
      endpoint_id: id("whe"),
      url: text(),
      reason: oneOf(["failing", "gone"], "failing: five days of failures; gone: the receiver answered 410"),
      failing_since: nullable(dateTime()),
      disabled_at: dateTime(),
    },
    { title: "EndpointDisabled" },
  ),
  example: {
    endpoint_id: "whe_0198f2c4d4e37f608a9b0c1d2e3f4a5b",
    url: "https://hooks.example.com/quiz",
    reason: "failing",
    failing_since: "2026-09-10T04:00:00.000Z",
    disabled_at: created,
  },
  created,
});
