/**
 * The statements of an SQL text, one by one, without the semicolons between them: cut where PostgreSQL's scanner sees a
 * semicolon, and not at one inside a string, a quoted name, a `$$` body or a comment [operations.statements]. What
 * consists of comments alone is left out. A text with an open quote is cut somewhere; PostgreSQL refuses it in any
 * case.
 *
 * A function body without quotes (`BEGIN ATOMIC ... END`) is not known here; the rules of migrations refuse it.
 */
export function splitStatements(sql: string): string[] {
  const statements: string[] = [];
  let start = 0;
  let isEmpty = true;
  const cut = (end: number): void => {
    if (!isEmpty) statements.push(sql.slice(start, end).trim());
    isEmpty = true;
  };
  for (let at = 0; at < sql.length; ) {
    const end = at + tokenLength(sql, at);
    if (sql[at] === ";") {
      cut(at);
      start = end;
    } else if (!isBlank(sql, at)) isEmpty = false;
    at = end;
  }
  cut(sql.length);
  return statements;
}

/** White space as PostgreSQL has it, and comments. */
const isBlank = (sql: string, at: number): boolean =>
  /[ \t\n\r\f\v]/.test(sql[at] ?? "") || sql.startsWith("--", at) || sql.startsWith("/*", at);

/** With a line end between them, two strings are one, and what is special in the first is in the second. */
const goesOn = String.raw`(?:[ \t\f\v]*(?:--[^\n\r]*)?[\n\r](?:[ \t\n\r\f\v]|--[^\n\r]*[\n\r])*'`;

const tokens: readonly RegExp[] = [
  /--[^\n\r]*/y,
  /"(?:[^"]|"")*"/y,
  // with backslashes
  new RegExp(String.raw`[eE]'(?:[^'\\]|\\[^]|'')*'${goesOn}(?:[^'\\]|\\[^]|'')*')*`, "y"),
  /'(?:[^']|'')*'/y,
  /\$([A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*)?\$[\s\S]*?\$\1\$/y,
  // a name may hold $, which then opens no body
  /[A-Za-z_\u0080-\uffff][A-Za-z0-9_$\u0080-\uffff]*/y,
];

function tokenLength(sql: string, at: number): number {
  if (sql.startsWith("/*", at)) return commentLength(sql, at);
  for (const token of tokens) {
    token.lastIndex = at;
    const found = token.exec(sql);
    if (found) return found[0].length;
  }
  return 1;
}

/** Comments nest. */
function commentLength(sql: string, at: number): number {
  const marks = /\/\*|\*\//g;
  marks.lastIndex = at;
  let depth = 0;
  for (let mark = marks.exec(sql); mark; mark = marks.exec(sql)) {
    depth += mark[0] === "/*" ? 1 : -1;
    if (depth === 0) return marks.lastIndex - at;
  }
  return sql.length - at;
}
