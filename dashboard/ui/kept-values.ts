/** Stores unsaved form input in the tab's storage. If storage is denied, nothing is stored. */

export interface KeptValues<Values extends object> {
  /** null: nothing was stored */
  read(): Partial<Values> | null;
  write(values: Partial<Values>): void;
  forget(): void;
}

type TabStorage = Pick<Storage, "key" | "length" | "getItem" | "setItem" | "removeItem">;

const prefix = "quizstore-form ";
const personKey = "quizstore-forms-of";

function attempt<Result>(run: () => Result): Result | null {
  try {
    return run();
  } catch {
    return null;
  }
}

/** Removes the input of all forms, because somebody else will use this tab. */
export function forgetForms(storage: Pick<TabStorage, "key" | "length" | "removeItem">): void {
  const names = Array.from({ length: storage.length }, (_, index) => storage.key(index));
  for (const name of names) if (name?.startsWith(prefix)) storage.removeItem(name);
}

/** Keeps the stored input only if it belongs to this person; removes anybody else's. */
export function keepFormsOf(storage: TabStorage, personId: string): void {
  attempt(() => {
    if (storage.getItem(personKey) === personId) return;
    forgetForms(storage);
    storage.setItem(personKey, personId);
  });
}

export function keptValues<Values extends object>(
  storage: Pick<TabStorage, "getItem" | "setItem" | "removeItem">,
  form: string,
  never: readonly string[],
): KeptValues<Values> {
  const key = `${prefix}${form}`;
  return {
    read: () =>
      attempt(() => {
        const value: unknown = JSON.parse(storage.getItem(key) ?? "null");
        // written by the same form, below
        return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Partial<Values>) : null;
      }),
    write: (values) => {
      const storable = Object.entries(values).filter(([name]) => !never.includes(name));
      attempt(() => storage.setItem(key, JSON.stringify(Object.fromEntries(storable))));
    },
    forget: () => void attempt(() => storage.removeItem(key)),
  };
}
