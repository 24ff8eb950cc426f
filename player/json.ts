/**
 * JSON on third-party pages: old libraries give arrays, strings and numbers a `toJSON` of their own, which would turn
 * them into quoted strings [player.hostile-pages]. It is removed while this writes [player.foreign-json].
 */
export function toJson(value: unknown): string {
  const taken = owners.filter(({ toJSON }) => toJSON !== undefined).map((owner) => ({ owner, toJSON: owner.toJSON }));
  for (const { owner } of taken) delete owner.toJSON;
  try {
    return JSON.stringify(value);
  } finally {
    for (const { owner, toJSON } of taken) owner.toJSON = toJSON;
  }
}

const builtIn: object[] = [Array.prototype, String.prototype, Number.prototype, Boolean.prototype];
const owners: { toJSON?: unknown }[] = builtIn;
