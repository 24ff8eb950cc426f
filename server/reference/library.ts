import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { operations } from "../../contract/api.ts";
import { errorTitles } from "../../contract/errors.ts";
import { errorListText, errorPath, errorText } from "./error-texts.ts";
import { docsText, referenceText } from "./index-texts.ts";
import { render } from "./markdown.ts";
import { operationText } from "./operation-text.ts";

/**
 * Every page of the documentation: the guides and rules of docs/, the client's README, a page for each operation and
 * each error [reference.pages].
 */

export interface Page {
  /** such as `/docs/people`; its Markdown is at the same address with `.md` */
  path: string;
  /** null: an index page, which is listed nowhere */
  group: Group | null;
  title: string;
  /** the first sentence after the title */
  summary: string;
  /** with links to other pages' Markdown */
  markdown: string;
  /** rendered when first requested: rendering all pages together would hold up other requests */
  html(): string;
  /** on a page of the reference */
  operationId?: string;
}

export const groups = ["Start here", "Guides", "Reference", "Errors", "Running it", "Rules"] as const;
export type Group = (typeof groups)[number];

const guides: Readonly<Record<string, Group>> = {
  integrators: "Start here",
  storefront: "Guides",
  people: "Guides",
  analytics: "Guides",
  commerce: "Guides",
  webhooks: "Guides",
  exports: "Guides",
  embedding: "Guides",
  glossary: "Guides",
  operations: "Running it",
  upgrades: "Running it",
  observability: "Running it",
  citus: "Running it",
  security: "Running it",
};

/** Files served unchanged, by their folder in docs/ and their type. */
export const servedFolders: Readonly<Record<string, string>> = {
  images: "image/jpeg",
  recipes: "text/plain; charset=utf-8",
};

export class Library {
  readonly pages: readonly Page[];
  readonly #byPath: ReadonlyMap<string, Page>;

  constructor(root: string) {
    const sources = sourcesOf(root);
    const served = new Map(sources.map(({ file, path }) => [file, path]));
    const written = sources.map((source) => pageOf(source, linksFrom(source.file, served)));
    const reference = operations.map((operation) => {
      const page = madePage(`/reference/${operation.id}`, "Reference", operationText(operation));
      return { ...page, operationId: operation.id };
    });
    const errors = errorTitles.map((title) => madePage(errorPath(title), "Errors", errorText(title)));
    const all = [...written, ...reference, ...errors];
    this.pages = groups.flatMap((group) => all.filter((page) => page.group === group));
    const leading = [
      madePage("/docs", null, docsText(this.pages)),
      madePage("/reference", null, referenceText()),
      madePage("/errors", null, errorListText()),
    ];
    this.#byPath = new Map([...leading, ...this.pages].map((page) => [page.path, page]));
  }

  at(path: string): Page | null {
    return this.#byPath.get(path) ?? null;
  }
}

interface Source {
  path: string;
  group: Group | null;
  text: string;
}

interface WrittenSource extends Source {
  /** relative to the checkout */
  file: string;
}

function sourcesOf(root: string): WrittenSource[] {
  const read = (file: string, path: string, group: Group): WrittenSource => ({
    ...{ file, path, group },
    text: readFileSync(join(root, file), "utf8"),
  });
  const rules = readdirSync(join(root, "docs/rules")).filter((name) => name.endsWith(".md"));
  return [
    ...Object.entries(guides).map(([name, group]) => read(`docs/${name}.md`, `/docs/${name}`, group)),
    read("client/README.md", "/docs/client", "Start here"),
    ...rules.sort().map((name) => {
      const path = name === "README.md" ? "/docs/rules" : `/docs/rules/${name.slice(0, -3)}`;
      return read(`docs/rules/${name}`, path, "Rules");
    }),
  ];
}

type Links = (href: string) => string | null;

/** Resolves a file's links, only some of which lead to pages here; null: the target is not served. */
const linksFrom =
  (file: string, served: ReadonlyMap<string, string>): Links =>
  (href) => {
    if (/^(https?:|mailto:|#|\/)/.test(href)) return href;
    const [path = "", anchor] = href.split("#");
    const target = posix.normalize(posix.join(posix.dirname(file), path));
    const to = served.get(target) ?? otherwise(target);
    return to && (anchor === undefined ? to : `${to}#${anchor}`);
  };

function otherwise(target: string): string | null {
  if (target === "README.md" || target === "docs") return "/docs";
  if (target === "docs/rules" || target === "docs/rules/") return "/docs/rules";
  if (target === "openapi.json") return "/openapi.json";
  const [, folder = ""] = /^docs\/([a-z]+)\/[^/]+$/.exec(target) ?? [];
  return folder in servedFolders ? `/${target}` : null;
}

function pageOf({ path, group, text }: Source, links: Links): Page {
  const title = /^# (.+)$/m.exec(text)?.[1] ?? path;
  let html: string | null = null;
  const rendered = () => {
    html ??= render(text, links);
    return html;
  };
  return { path, group, title, summary: summaryOf(text), markdown: withLinks(text, links), html: rendered };
}

/** A page without a file; its links are addresses already. */
const madePage = (path: string, group: Group | null, text: string): Page =>
  pageOf({ path, group, text }, (href) => href);

/** The first sentence after the title, without Markdown syntax. */
function summaryOf(text: string): string {
  const paragraphs = text.split(/\n\s*\n/).map((part) => part.trim());
  const first = paragraphs.find((part) => /^[A-Za-z`*[]/.test(part)) ?? "";
  const words = first
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[`*]/g, "")
    .replaceAll(/\s+/g, " ");
  return (/^.{20,}?\.(?=\s|$)/.exec(words)?.[0] ?? words).replace(/:$/, ".");
}

const isPage = (href: string): boolean => /^\/(docs|reference|errors)(\/[\w/-]+)?(#|$)/.test(href);

/**
 * A page's Markdown for readers without HTML: links to pages lead to their Markdown [reference.markdown]. Code blocks
 * are unchanged.
 */
function withLinks(text: string, links: Links): string {
  const parts = text.split(/(^```[\s\S]*?^```$)/m);
  const rewritten = parts.map((part) => {
    if (part.startsWith("```")) return part;
    return part.replaceAll(/\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)/g, (_, words: string, href: string) => {
      const to = links(href);
      if (to === null) return words;
      return `[${words}](${isPage(to) ? to.replace(/(?=#|$)/, ".md") : to})`;
    });
  });
  return rewritten.join("");
}
