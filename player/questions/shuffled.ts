import type { ChoiceOption } from "../../engine/document.ts";

/**
 * The options in an order that depends on nothing but the seed and their ids, so that it stays when the page is drawn or
 * loaded again [player.shuffled]. Options that exclude others or have a text field stay last, in the document's order.
 */
export function shuffled(options: readonly ChoiceOption[], seed: string): ChoiceOption[] {
  const isLast = ({ exclusive, other }: ChoiceOption): boolean => exclusive === true || other === true;
  const places = new Map(options.map((option) => [option, hashOf(`${seed} ${option.option_id}`)]));
  const free = options.filter((option) => !isLast(option));
  free.sort((one, two) => (places.get(one) ?? 0) - (places.get(two) ?? 0));
  return [...free, ...options.filter(isLast)];
}

/** FNV-1a with the last step of MurmurHash3, without which texts that differ only at their end keep their order. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
