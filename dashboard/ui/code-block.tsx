import { CopyButton } from "./copy-button.tsx";

interface CodeBlockProps {
  code: string;
  /** a name for screen readers */
  label: string;
}

/** Code that scrolls by itself and can be copied. */
export const CodeBlock = ({ code, label }: CodeBlockProps) => (
  <div className="qs-code-box">
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys */}
    <section className="qs-code" tabIndex={0} aria-label={label} dir="ltr">
      {code}
    </section>
    <div>
      <CopyButton value={code} label="Copy" />
    </div>
  </div>
);
