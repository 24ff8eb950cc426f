import type { PictureNode } from "./layout.ts";

/**
 * The page that an arrow key moves to: the nearest in the adjacent column, or the next in the same column
 * [dashboard-figures.graph-keys].
 */
export function nextCard(nodes: readonly PictureNode[], from: string, key: string): PictureNode | null {
  const here = nodes.find(({ node }) => node.id === from);
  if (!here) return null;
  const last = Math.max(...nodes.map(({ column }) => column));
  if (key === "Home") return nearest(nodes, here, 0);
  if (key === "End") return nearest(nodes, here, last);
  if (key === "ArrowRight") return nearest(nodes, here, here.column + 1);
  if (key === "ArrowLeft") return nearest(nodes, here, here.column - 1);
  const down = key === "ArrowDown" ? 1 : key === "ArrowUp" ? -1 : 0;
  return nodes.find(({ column, row }) => down !== 0 && column === here.column && row === here.row + down) ?? null;
}

const middle = ({ y, cardHeight }: PictureNode): number => y + cardHeight / 2;

function nearest(nodes: readonly PictureNode[], here: PictureNode, column: number): PictureNode | null {
  const there = nodes.filter((node) => node.column === column);
  const away = (node: PictureNode) => Math.abs(middle(node) - middle(here));
  return there.sort((a, b) => away(a) - away(b))[0] ?? null;
}
