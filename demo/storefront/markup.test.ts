import { describe, expect, it } from "vitest";
import { html, Markup } from "./markup.ts";

describe("markup [demo.bounds]", () => {
  it("escapes every text that is put into it", () => {
    const typed = `"><script>alert('1')</script>&`;
    expect(html`<p title="${typed}">${typed}</p>`.text).toBe(
      '<p title="&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;">&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;</p>',
    );
  });

  it("puts lists, numbers and other markup in as they are, and leaves out what is not there", () => {
    const items = ["a", "<b>"].map((name) => html`<li>${name}</li>`);
    expect(html`<ul>${items}${null}${false}${3}${new Markup("<hr>")}</ul>`.text).toBe(
      "<ul><li>a</li><li>&lt;b&gt;</li>3<hr></ul>",
    );
  });
});
