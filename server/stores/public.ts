/** What other slices and the command line may use of stores. */

export {
  type AdminDeps,
  checkAdmin,
  createStore as createNewStore,
  type ListedStore,
  listedColumns,
  listedStore,
  reconnectStore as reconnect,
  revokeKeysOf,
  sealCommerceSecret,
  updateStore as updateGivenStore,
} from "./admin.ts";
export type { Credits } from "./credits.ts";
export {
  assertConnected,
  connectedStore,
  findStore,
  inStoreNamed,
  mainStoreNamed,
  publishableKeyOf,
  storeNamed,
  storeOfPublishableKey,
} from "./find-store.ts";
export { bearer, hashKey, isPersonal, isTokenText, isWhole, keyHead, keyLastFour, newKeyText } from "./key-text.ts";
export { callerOf, lacksSupport } from "./member-caller.ts";
export {
  holdConnection,
  holdRevision,
  raiseRevision,
  recordChanges,
  recordRevision,
  revisionOf,
  type StoreChange,
} from "./revision.ts";
export { type ConnectedShop, noteShopUpdate, setOnlineStore, shopOfDomain, updateShop } from "./shop.ts";
