/** What others that answer shoppers' browsers may use: the stores that they name, and the limits that they share. */
export { KnownStores } from "./known-stores.ts";
export { bytesSentAUnit, requestUnits, storefrontLimits, unknownStoreUnits } from "./limits.ts";
export { openPreview } from "./previews.ts";
