import type { Node, RangeVar } from "libpg-query";
import { parseSync, scanSync } from "libpg-query";

/** Helpers for PostgreSQL's raw parse tree, for the rule checkers. The parser must be loaded first (`loadModule`). */

type KeyOf<T> = T extends unknown ? keyof T : never;
type BodyOf<T, K extends PropertyKey> = T extends Record<K, infer Body> ? Body : never;

export type NodeKind = KeyOf<Node>;

/** The body of a node if it has that kind: a node is an object with one key, its kind. */
export function as<K extends NodeKind>(node: Node | undefined, kind: K): BodyOf<Node, K> | undefined {
  return (node as Partial<Record<string, unknown>> | undefined)?.[kind] as BodyOf<Node, K> | undefined;
}

export function kindOf(node: Node): string {
  return Object.keys(node)[0] ?? "";
}

/**
 * Calls `enter` for every node below `tree`, outermost first, and does not descend into nodes for which it returns
 * `false`. Bodies that a field holds without a wrapper (such as the two sides of a UNION) are passed through without a
 * call.
 */
export function visit(tree: unknown, enter: (node: Node, kind: string) => boolean): void {
  if (Array.isArray(tree)) {
    for (const item of tree) visit(item, enter);
    return;
  }
  if (typeof tree !== "object" || tree === null) return;
  for (const [key, value] of Object.entries(tree)) {
    if (typeof value !== "object" || value === null) continue;
    // Kinds start with a capital letter, fields never do.
    const isNode = key >= "A" && key <= "Z~";
    // the parser's types are a union of all kinds, from which a computed key cannot choose
    if (!isNode || enter({ [key]: value } as unknown as Node, key)) visit(value, enter);
  }
}

/** The texts of a list of names (such as a key's columns, or the parts of a function's name). */
export function names(list: readonly Node[] | undefined): string[] {
  return (list ?? []).flatMap((node) => as(node, "String")?.sval ?? []);
}

/** `table`, or `schema.table` outside the schema `public`. */
export function tableName(relation: RangeVar | undefined): string {
  const { schemaname, relname = "" } = relation ?? {};
  return schemaname === undefined || schemaname === "public" ? relname : `${schemaname}.${relname}`;
}

/** The table that a node writes, if it is a write. */
export function writtenBy(node: Node): RangeVar | undefined {
  return (as(node, "InsertStmt") ?? as(node, "UpdateStmt") ?? as(node, "DeleteStmt") ?? as(node, "MergeStmt"))
    ?.relation;
}

/** The number of a parameter, even inside casts. */
export function parameter(node: Node | undefined): number | undefined {
  const cast = as(node, "TypeCast");
  return cast ? parameter(cast.arg) : as(node, "ParamRef")?.number;
}

export interface Statement {
  node: Node;
  /** Comments before and inside the statement, in order. */
  comments: readonly string[];
  /** The `--` lines directly above it, without a gap. */
  above: readonly string[];
}

interface Comment {
  text: string;
  start: number;
  line: number;
  endLine: number;
}

function commentsOf(sql: string): Comment[] {
  if (!sql.includes("/*") && !sql.includes("--")) return [];
  // The scanner counts bytes.
  const bytes = Buffer.from(sql);
  const lineAt = (end: number): number => bytes.subarray(0, end).toString().split("\n").length;
  return scanSync(sql)
    .tokens.filter((token) => token.tokenName === "C_COMMENT" || token.tokenName === "SQL_COMMENT")
    .map(({ text, start, end }) => ({ text, start, line: lineAt(start), endLine: lineAt(end) }));
}

/** The block of `--` comments that ends on the line before `line`. */
function blockAbove(comments: readonly Comment[], line: number): string[] {
  const block: string[] = [];
  for (let above = line - 1; ; above--) {
    const comment = comments.find((each) => each.endLine === above && each.text.startsWith("--"));
    if (!comment) return block;
    block.unshift(comment.text);
  }
}

/** The statements of a text; throws PostgreSQL's own error if it is not valid. */
export function statementsOf(sql: string): Statement[] {
  const comments = commentsOf(sql);
  const bytes = comments.length > 0 ? Buffer.from(sql) : undefined;
  let from = 0;
  let lastLine = 0;
  return (parseSync(sql).stmts ?? []).flatMap(({ stmt, stmt_location = 0, stmt_len }) => {
    if (!stmt) return [];
    // A comment belongs to the statement that follows or contains it; after the last statement, to the last.
    const end = stmt_len ? stmt_location + stmt_len : Number.POSITIVE_INFINITY;
    const own = comments.filter((comment) => comment.start >= from && comment.start < end).map(({ text }) => text);
    from = end;
    const line = bytes ? bytes.subarray(0, stmt_location).toString().split("\n").length : 1;
    // Comments above a line belong to the first statement that begins on it.
    const above = line > lastLine ? blockAbove(comments, line) : [];
    lastLine = line;
    return [{ node: stmt, comments: own, above }];
  });
}
