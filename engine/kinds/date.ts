import type { DateComponent } from "../document.ts";
import type { KindOf } from "./kind.ts";
import { readDateLimits } from "./read-date-limits.ts";

/** Apart from dated.ts, which every player has: the limits' meaning is loaded with quizzes that have them. */
export const dateKind: KindOf<DateComponent> = {
  read: (fields) => ({ with_time: fields.flag("with_time"), ...readDateLimits(fields) }),
  fresh: () => ({ with_time: false }),
};
