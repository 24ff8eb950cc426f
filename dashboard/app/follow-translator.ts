/**
 * A browser's translator replaces text nodes by elements of its own, and React does not know: it changes texts that are
 * on the page no longer, and fails when it removes one, or inserts something before one. Here, a text that React uses
 * takes its place back [dashboard.translated]; the translator then translates it again.
 */

/** The translator's element in place of a text. */
const standIns = new WeakMap<Node, ChildNode>();

const isText = (node: Node): node is Text => node.nodeType === Node.TEXT_NODE;
const isStandIn = (node: Node | null | undefined): node is HTMLElement => node?.nodeName === "FONT";

function putBack(text: Node): void {
  if (!text.parentNode) standIns.get(text)?.replaceWith(text);
}

const changed = new MutationObserver((changes) => {
  for (const { target } of changes) putBack(target);
});

/** The translator either replaces a text, or inserts its own element before it and removes it. */
const moved = new MutationObserver((changes) => {
  for (const { addedNodes, removedNodes, previousSibling, nextSibling } of changes) {
    const standIn = [...addedNodes, previousSibling, nextSibling].find(isStandIn);
    for (const text of standIn ? removedNodes : []) {
      if (!standIn || !isText(text) || text.parentNode) continue;
      standIns.set(text, standIn);
      changed.observe(text, { characterData: true });
    }
  }
});

/** React calls both methods only with nodes that it believes to be in this parent. */
export function followTranslator(): void {
  const { insertBefore, removeChild } = Node.prototype;
  Node.prototype.insertBefore = function <Added extends Node>(this: Node, node: Added, before: Node | null): Added {
    if (before && before.parentNode !== this) putBack(before);
    return insertBefore.call(this, node, before) as Added;
  };
  Node.prototype.removeChild = function <Removed extends Node>(this: Node, child: Removed): Removed {
    if (child.parentNode !== this) putBack(child);
    return removeChild.call(this, child) as Removed;
  };
  moved.observe(document.documentElement, { childList: true, subtree: true });
}
