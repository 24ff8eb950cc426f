/**
 * Splits an SQL text into its statements, without the semicolons between them: at semicolons as PostgreSQL's scanner
 * sees them, not inside a string, a quoted name, a `$$` body or a comment [operations.statements]. Statements that
 * consist only of comments are dropped. A text with an unclosed quote is split somewhere; PostgreSQL refuses it in any
 * case.
 *
 * Function bodies without quotes (`BEGIN ATOMIC ... END`) are not supported; the rules of migrations refuse them.
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

/** White space as PostgreSQL defines it, and comments. */
const isBlank = (sql: string, at: number): boolean =>
  /[ \t\n\r\f\v]/.test(sql[at] ?? "") || sql.startsWith("--", at) || sql.startsWith("/*", at);

/** Two strings with a line end between them are one, and the first string's escape rules apply to the second. */
const goesOn = String.raw`(?:[ \t\f\v]*(?:--[^\n\r]*)?[\n\r](?:[ \t\n\r\f\v]|--[^\n\r]*[\n\r])*'`;

const tokens: readonly RegExp[] = [
  /--[^\n\r]*/y,
  /"(?:[^"]|"")*"/y,
  // with backslash escapes
  new RegExp(String.raw`[eE]'(?:[^'\\]|\\[^]|'')*'${goesOn}(?:[^'\\]|\\[^]|'')*')*`, "y"),
  /'(?:[^']|'')*'/y,
  /\$([A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*)?\$[\s\S]*?\$\1\$/y,
  // a name may contain $, which then starts no body
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
