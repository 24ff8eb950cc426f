/** Of the page's answer: what adds styles later shows it to the browser, which refuses them otherwise. */
export const nonce = document.querySelector<HTMLMetaElement>("meta[property=csp-nonce]")?.nonce ?? "";

// read by the package that keeps the page from scrolling behind a dialog
Object.assign(globalThis, { __webpack_nonce__: nonce });
