import { Marked, type Tokens } from "marked";
import { escapeHtml } from "../platform/http/escape-html.ts";

/**
 * Renders the project's own Markdown as HTML: headings with anchors, links that lead to pages. Never used for texts by
 * others.
 */

/** A heading's anchor: for a rule its name, otherwise the same as on code hosts. */
export function headingId(text: string): string {
  if (/^[a-z][a-z0-9-]*\.[a-z0-9.-]+$/.test(text)) return text;
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");
}

const plain = (markdown: string): string => markdown.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll(/[`*]/g, "");

/** @param resolve where a link leads from this page; null: nowhere, so only its words are shown */
export function render(markdown: string, resolve: (href: string) => string | null): string {
  // closes gaps in the heading levels of a page
  const above: number[] = [];
  const marked = new Marked({ gfm: true });
  marked.use({
    renderer: {
      heading(token: Tokens.Heading) {
        const text = plain(token.text);
        const id = headingId(text);
        while ((above.at(-1) ?? 0) >= token.depth) above.pop();
        above.push(token.depth);
        const level = above.length;
        return `<h${level} id="${escapeHtml(id)}">${this.parser.parseInline(token.tokens)}</h${level}>\n`;
      },
      link(token: Tokens.Link) {
        const words = this.parser.parseInline(token.tokens);
        const href = resolve(token.href);
        return href === null ? words : `<a href="${escapeHtml(href)}">${words}</a>`;
      },
      image(token: Tokens.Image) {
        return `<img src="${escapeHtml(resolve(token.href) ?? "")}" alt="${escapeHtml(token.text)}" loading="lazy">`;
      },
      table(token: Tokens.Table) {
        const row = (cells: Tokens.TableCell[], tag: string) =>
          `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join("")}</tr>`;
        const rows = token.rows.map((cells) => row(cells, "td")).join("\n");
        // wide tables scroll, with the keyboard too
        return `<div class="wide" tabindex="0"><table><thead>${row(token.header, "th")}</thead><tbody>${rows}</tbody></table></div>\n`;
      },
      code(token: Tokens.Code) {
        return `<pre tabindex="0" data-language="${escapeHtml(token.lang ?? "")}"><code>${escapeHtml(token.text)}\n</code></pre>\n`;
      },
      html: () => "",
    },
  });
  return marked.parse(markdown, { async: false });
}
