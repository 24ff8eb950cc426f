/** What the browser keeps for this tab, and for all of them; where that is denied nothing is kept, and all else works. */

type Kept = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

const none: Kept = {
  length: 0,
  key: () => null,
  getItem: () => null,
  setItem: () => undefined,
  removeItem: () => undefined,
};

/** Only looking at it throws where it is denied. */
function found(look: () => Kept): Kept {
  try {
    return look();
  } catch {
    return none;
  }
}

export const tabStorage: Kept = found(() => sessionStorage);
export const browserStorage: Kept = found(() => localStorage);
