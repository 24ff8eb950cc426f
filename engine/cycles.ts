/**
 * The nodes of a graph that lead back to themselves, in time proportional to its nodes and edges: those of strongly
 * connected components (Tarjan's algorithm), without recursion because a chain may have thousands of nodes.
 */
export function cyclicNodes<Node>(edges: ReadonlyMap<Node, readonly Node[]>): Set<Node> {
  return searched(edges).cyclic;
}

/** The number of each node's strongly connected component: nodes of one lead to each other. */
export function strongComponents<Node>(edges: ReadonlyMap<Node, readonly Node[]>): ReadonlyMap<Node, number> {
  return searched(edges).components;
}

function searched<Node>(edges: ReadonlyMap<Node, readonly Node[]>): Search<Node> {
  const search = new Search(edges);
  for (const node of edges.keys()) search.from(node);
  return search;
}

interface Visit<Node> {
  node: Node;
  /** the index of the next edge to follow */
  next: number;
}

class Search<Node> {
  readonly cyclic = new Set<Node>();
  readonly components = new Map<Node, number>();
  readonly #edges: ReadonlyMap<Node, readonly Node[]>;
  /** by node: the order in which it was found, and the earliest open node that it leads to */
  readonly #found = new Map<Node, number>();
  readonly #lowest = new Map<Node, number>();
  /** found nodes whose component is not complete */
  readonly #open: Node[] = [];
  readonly #isOpen = new Set<Node>();

  constructor(edges: ReadonlyMap<Node, readonly Node[]>) {
    this.#edges = edges;
  }

  from(start: Node): void {
    if (this.#found.has(start)) return;
    const path: Visit<Node>[] = [this.#begin(start)];
    for (let visit = path.at(-1); visit !== undefined; visit = path.at(-1)) {
      const { node } = visit;
      const to = this.#edges.get(node)?.[visit.next];
      visit.next += 1;
      if (to === undefined) {
        path.pop();
        this.#end(node);
        const before = path.at(-1);
        if (before !== undefined) this.#lower(before.node, this.#lowest.get(node) ?? 0);
      } else if (!this.#found.has(to)) path.push(this.#begin(to));
      else if (this.#isOpen.has(to)) this.#lower(node, this.#found.get(to) ?? 0);
      if (to === node) this.cyclic.add(node);
    }
  }

  #begin(node: Node): Visit<Node> {
    this.#lowest.set(node, this.#found.size);
    this.#found.set(node, this.#found.size);
    this.#open.push(node);
    this.#isOpen.add(node);
    return { node, next: 0 };
  }

  #lower(node: Node, to: number): void {
    this.#lowest.set(node, Math.min(this.#lowest.get(node) ?? to, to));
  }

  /** Completes the component that begins with the node, if one does. */
  #end(node: Node): void {
    if (this.#lowest.get(node) !== this.#found.get(node)) return;
    const members = this.#open.splice(this.#open.lastIndexOf(node));
    for (const member of members) {
      this.#isOpen.delete(member);
      this.components.set(member, this.#found.get(node) ?? 0);
      if (members.length > 1) this.cyclic.add(member);
    }
  }
}
