import { Marked, type Tokens } from "marked";
import { escapeHtml } from "../platform/http/escape-html.ts";

/** Markdown of this project as HTML: headings that can be linked to, links that lead to pages. Texts of others never get here. */

/** What a heading is linked by: a rule by its name, anything else as code hosts have it. */
export function headingId(text: string): string {
  if (/^[a-z][a-z0-9-]*\.[a-z0-9.-]+$/.test(text)) return text;
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");
}

const plain = (markdown: string): string => markdown.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll(/[`*]/g, "");

/** `resolve`: where a link leads from this page; null: nowhere, its words alone are shown. */
export function render(markdown: string, resolve: (href: string) => string | null): string {
  // a page that leaves a level out is shown without the gap
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
        // wide ones are scrolled, by keys too
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
