import { createBrowserHistory } from "@tanstack/react-router";

/** Runs in the browser: the history of a single-page shop's router, and what the router was told. */

export interface RouterInPage {
  told: string[];
  push(path: string): void;
}

declare global {
  interface Window {
    router: RouterInPage;
  }
}

const history = createBrowserHistory();
window.router = { told: [], push: (path) => history.push(path) };
history.subscribe(({ location, action }) => window.router.told.push(`${action.type} ${location.pathname}`));
