import { type MinifyOptions, minify } from "terser";
import type { Plugin } from "vite";
import { isLanguage } from "./languages.ts";

/**
 * Properties that only the player's own modules have: no page, storage, document or server ever sees them, nor does the
 * loader, which is built apart. They get the same short names in each part. None is an export of a module, or a need.
 */
export const ownProperties: readonly string[] = [
  ...["applyConsent", "beginNext", "canGoBack", "canSkip", "decisionOrder", "goesOn", "isArrow", "isBusy", "isGoing"],
  ...["isIdle", "isLast", "isMarked", "isNew", "isOnline", "isPersistent", "isPressed", "isReloaded", "isRunning"],
  ...["keepsRoom", "leaveClearedStorage", "loadPhones", "newId", "nextSessionId", "notBefore", "onEvent", "onFault"],
  ...["onNamed", "onView", "phonesComing", "recorder", "sessionId", "startOver", "takesFocus", "ticked", "typed"],
  ...["carts", "focuses", "goOn", "here", "isLost", "onAct", "moved", "placed", "timers", "visitorId"],
  ...[
    "addToCart",
    "asks",
    "cartPage",
    "counted",
    "earlier",
    "facts",
    "failure",
    "isForeign",
    "live",
    "memory",
    "phones",
    "place",
  ],
  ...[
    "completeStep",
    "browser",
    "sessions",
    "storage",
    "release",
    "saved",
    "brought",
    "settle",
    "children",
    "component",
    "page_keys",
    "product",
    "props",
    "view",
    "drawAgain",
    "say",
    "stage",
    "unshown",
    "wrong",
  ],
];

const shortNames = (): Record<string, string> =>
  Object.fromEntries(ownProperties.map((name, at) => [`$${name}`, `_${at.toString(36)}`]));

const options = (): MinifyOptions => ({
  module: true,
  ecma: 2020,
  compress: { passes: 3, inline: 1, unsafe_arrows: true },
  // names that browsers have for something else, too, of which the player uses none
  mangle: { properties: { builtins: true, regex: new RegExp(`^(?:${ownProperties.join("|")})$`) } },
  nameCache: { props: { props: shortNames() } },
});

/**
 * A second minifier for the player's modules, which every shopper downloads [player.size]: it inlines, joins and shortens
 * what the bundler's own leaves, 700 bytes of the main part in gzip. The loader would get larger.
 */
export const smallerModules = (): Plugin => ({
  name: "smaller-modules",
  async renderChunk(code, { name }) {
    if (isLanguage(name)) return null;
    const smaller = await minify(code, options());
    return { code: smaller.code ?? code, map: null };
  },
});
