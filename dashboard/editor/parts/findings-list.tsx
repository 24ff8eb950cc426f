import { Text } from "@mantine/core";
import { firstWords, namesOf } from "../../../engine/condition-words.ts";
import type { QuizDocument } from "../../../engine/document.ts";
import type { Finding } from "../../../engine/lint.ts";
import { useDocument, useGoTo, useSession } from "../context.tsx";

/** The lint's findings, each with a link to its field [editor.lint-links]. */
export function FindingsList({ onGo }: { onGo?: () => void }) {
  const findings = useSession((state) => state.findings);
  const document = useDocument((whole) => whole);
  const goTo = useGoTo();
  if (findings.length === 0) {
    return (
      <Text size="sm" role="status">
        No issues.
      </Text>
    );
  }
  return (
    <ul className="qs-ed-findings" aria-label="Issues">
      {findings.map((finding, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: one field may have the same finding twice
        <li key={index} data-severity={finding.severity}>
          <button
            type="button"
            data-path={finding.path}
            data-code={finding.code}
            onClick={() => {
              goTo(finding.path);
              onGo?.();
            }}
          >
            <strong>{finding.severity === "error" ? "Error" : "Warning"}</strong> {whereOf(document, finding)}:{" "}
            {finding.message}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** The author's name for the thing at a path. */
function whereOf(document: QuizDocument, { path }: Finding): string {
  const [first, second, third, fourth] = path.split(".");
  const page = first === "pages" ? document.pages[Number(second)] : undefined;
  if (page) {
    const named = `Page ${Number(second) + 1} ${firstWords(page.title, page.page_key)}`;
    const component = third === "components" ? page.components[Number(fourth)] : undefined;
    if (!component) return named;
    const key = component.kind === "products" ? component.block_key : component.component_key;
    return `${named}, ${namesOf(document).question(key)}`;
  }
  if (first === "jump_rules") return `Jump ${Number(second) + 1}`;
  if (first === "dimensions")
    return `Result ${firstWords(document.dimensions[Number(second)]?.name) || Number(second) + 1}`;
  if (first === "property_mappings")
    return `Property ${firstWords(document.property_mappings[Number(second)]?.property_name)}`;
  if (first === "presentation") return "Look and texts";
  return "The quiz";
}
