import { Text } from "@mantine/core";
import type { DocumentChange } from "../../../engine/difference.ts";

/** Lists changes in words, with old and new values side by side. */
export function DifferenceTable({ changes, label }: { changes: readonly DocumentChange[]; label: string }) {
  if (changes.length === 0) return <Text size="sm">Nothing differs.</Text>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys
    <section className="qs-ed-difference" aria-label={label} tabIndex={0}>
      <table className="qs-ed-grid">
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">Before</th>
            <th scope="col">Now</th>
          </tr>
        </thead>
        <tbody>
          {changes.map(({ kind, path, words, before, after }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: several changes may be of one field
            <tr key={index} data-kind={kind}>
              <th scope="row">{kind === "changed" ? words.split(" is now ")[0] : words}</th>
              <td data-path={path}>{before ?? ""}</td>
              <td>{after ?? ""}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
