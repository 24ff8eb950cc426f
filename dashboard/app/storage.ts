/**
 * Browser storage for this tab, and for all tabs. If the browser denies it, nothing is stored and everything else
 * works.
 */

type Kept = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

const none: Kept = {
  length: 0,
  key: () => null,
  getItem: () => null,
  setItem: () => undefined,
  removeItem: () => undefined,
};

/** Where storage is denied, already accessing the property throws. */
function found(look: () => Kept): Kept {
  try {
    return look();
  } catch {
    return none;
  }
}

export const tabStorage: Kept = found(() => sessionStorage);
export const browserStorage: Kept = found(() => localStorage);
