import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { BrowserContextOptions, Page } from "playwright-core";
import { openPage } from "./browser.ts";
import { listenLocally } from "./machine.ts";

/** A shop's own site, separate from the server: pages of another origin that embed a quiz. */

export type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => unknown;

export interface ShopSite {
  origin: string;
  /** for browsers that resolve names with the system: only its port makes it another origin than the server's */
  address: string;
  /** answers to later requests, by path; a string is an HTML page */
  pages: Map<string, string | Answer>;
  /** headers of pages given as strings */
  headers: Record<string, string>;
  /** each request as `METHOD /path`, in order */
  requests: string[];
  close(): Promise<void>;
}

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks).toString();
};

/** Listens on its own port with its own name, which is another site than the server's address. */
export async function openShopSite(pages: Readonly<Record<string, string | Answer>>, headers = {}): Promise<ShopSite> {
  const served = new Map(Object.entries(pages));
  const requests: string[] = [];
  const given: Record<string, string> = { ...headers };
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? "/", "http://shop").pathname;
    requests.push(`${request.method} ${path}`);
    const page = served.get(path);
    if (page === undefined) response.writeHead(404).end();
    else if (typeof page === "string") {
      response.writeHead(200, { "content-type": "text/html; charset=utf-8", ...given }).end(page);
    } else await page(request, response, await readBody(request));
  });
  const { port, close } = await listenLocally(server);
  return {
    // browsers resolve every name below localhost to this machine
    origin: `http://shop.localhost:${port}`,
    address: `http://127.0.0.1:${port}`,
    pages: served,
    headers: given,
    requests,
    close,
  };
}

export interface ShopPage {
  page: Page;
  site: ShopSite;
  /** errors on the page's console, exceptions, and violations of its policy */
  faults: string[];
  close(): Promise<void>;
}

export interface ShopPageOptions {
  /** the page's Content-Security-Policy */
  csp?: string;
  headers?: Record<string, string>;
  /** further paths of the shop's site */
  pages?: Readonly<Record<string, string | Answer>>;
  context?: BrowserContextOptions;
  /** called before the page is opened */
  prepare?: (page: Page) => Promise<unknown>;
}

/** Opens a shop's page in the browser; `html` is the whole document. */
export async function openShopPage(html: string, options: ShopPageOptions = {}): Promise<ShopPage> {
  const { csp, headers = {}, pages = {}, context = {}, prepare } = options;
  const policy = csp === undefined ? {} : { "content-security-policy": csp };
  const site = await openShopSite({ "/": html, ...pages }, { ...headers, ...policy });
  const { page, faults, close } = await openPage(context);
  await prepare?.(page);
  await page.goto(`${site.origin}/`);
  return {
    page,
    site,
    faults,
    close: async () => {
      await close();
      await site.close();
    },
  };
}
