/**
 * Browser storage for this tab, and for all tabs. If the browser denies it, nothing is stored and everything else
 * works.
 */

type SafeStorage = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

const none: SafeStorage = {
  length: 0,
  key: () => null,
  getItem: () => null,
  setItem: () => undefined,
  removeItem: () => undefined,
};

/** Where storage is denied, already accessing the property throws. */
function found(look: () => SafeStorage): SafeStorage {
  try {
    return look();
  } catch {
    return none;
  }
}

export const tabStorage: SafeStorage = found(() => sessionStorage);
export const browserStorage: SafeStorage = found(() => localStorage);
