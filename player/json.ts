/**
 * JSON on pages of other people: old libraries give arrays, texts and numbers a `toJSON` of their own, which would
 * write them as quoted texts [player.hostile-pages]. It is taken away for as long as this writes [player.foreign-json].
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
