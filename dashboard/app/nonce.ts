/** The page's CSP nonce: styles that are added later need it, or the browser blocks them. */
export const nonce = document.querySelector<HTMLMetaElement>("meta[property=csp-nonce]")?.nonce ?? "";

// read by the package that locks scrolling behind a dialog
Object.assign(globalThis, { __webpack_nonce__: nonce });
