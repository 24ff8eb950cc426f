/** For other slices that serve shoppers' browsers: looking up the store that they name, and the shared limits. */
export { KnownStores } from "./known-stores.ts";
export { bytesSentAUnit, requestUnits, storefrontLimits, unknownStoreUnits } from "./limits.ts";
export { openPreview } from "./previews.ts";
