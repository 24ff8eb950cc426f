/** The words in a source file: its comments and the titles of its tests. Pure. */

export interface Words {
  text: string;
  line: number;
}

interface Piece {
  kind: "comment" | "string";
  from: number;
  to: number;
}

const sql = /'(?:''|[^'])*'|--[^\n]*|\/\*[\s\S]*?\*\//y;
const lua = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|--[^\n]*/y;
const script =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/y;

/** After these, a slash begins a regular expression; after anything else it is a division. */
const beforeExpression = /(?:^|[=(,:;!&|?{}[+\-*%<>~^\n]|\b(?:return|typeof|case|in|of|await|throw))\s*$/;

function piecesBy(pattern: RegExp, text: string): Piece[] {
  const pieces: Piece[] = [];
  for (let at = 0; at < text.length; ) {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined)
      pieces.push({ kind: /^['"]/.test(found) ? "string" : "comment", from: at, to: at + found.length });
    at += found?.length ?? 1;
  }
  return pieces;
}

/** The end of a template that begins at `from`; comments and strings within its `${}` are added to the pieces. */
function templateEnd(text: string, from: number, pieces: Piece[]): number {
  for (let at = from + 1; at < text.length; ) {
    if (text[at] === "\\") at += 2;
    else if (text[at] === "`") return at + 1;
    else if (text.startsWith("${", at)) at = scriptEnd(text, at + 2, pieces);
    else at += 1;
  }
  return text.length;
}

/** Reads code from `from` to its closing brace or to the end of the text. */
function scriptEnd(text: string, from: number, pieces: Piece[]): number {
  let open = 0;
  for (let at = from; at < text.length; ) {
    script.lastIndex = at;
    const found = /[/"']/.test(text[at] ?? "") ? script.exec(text)?.[0] : undefined;
    if (text[at] === "`") {
      const piece: Piece = { kind: "string", from: at, to: at };
      pieces.push(piece);
      piece.to = templateEnd(text, at, pieces);
      at = piece.to;
    } else if (found !== undefined && /^\/[/*]/.test(found)) {
      pieces.push({ kind: "comment", from: at, to: at + found.length });
      at += found.length;
    } else if (found !== undefined && !found.startsWith("/")) {
      pieces.push({ kind: "string", from: at, to: at + found.length });
      at += found.length;
    } else if (found !== undefined && beforeExpression.test(text.slice(Math.max(0, at - 20), at))) {
      at += found.length;
    } else {
      if (text[at] === "{") open += 1;
      if (text[at] === "}") open -= 1;
      at += 1;
      if (open < 0) return at;
    }
  }
  return text.length;
}

function piecesOf(path: string, text: string): Piece[] {
  if (path.endsWith(".sql")) return piecesBy(sql, text);
  if (path.endsWith(".lua")) return piecesBy(lua, text);
  const pieces: Piece[] = [];
  scriptEnd(text, 0, pieces);
  return pieces;
}

/** Returns the line of an index; indexes have to be passed in rising order. */
function lineCounter(text: string): (index: number) => number {
  let line = 1;
  let counted = 0;
  return (index) => {
    for (; counted < index; counted += 1) if (text[counted] === "\n") line += 1;
    return line;
  };
}

/** Every comment; consecutive lines of `//` or `--` are one. */
export function commentsOf(path: string, text: string): Words[] {
  const lineOf = lineCounter(text);
  const comments: (Words & { to: number })[] = [];
  for (const { kind, from, to } of piecesOf(path, text).sort((a, b) => a.from - b.from)) {
    if (kind !== "comment") continue;
    const last = comments.at(-1);
    const plain = plainComment(text.slice(from, to));
    const goesOn =
      last !== undefined && /^\n[ \t]*$/.test(text.slice(last.to, from)) && /^(\/\/|--)/.test(text.slice(from));
    if (goesOn) Object.assign(last, { text: `${last.text} ${plain}`, to });
    else comments.push({ text: plain, line: lineOf(from), to });
  }
  return comments.map(({ text, line }) => ({ text, line }));
}

const plainComment = (comment: string): string =>
  comment
    .replace(/^(\/\/|\/\*+|--)|\*+\/$/g, "")
    .replace(/\n[ \t]*\*?[ \t]*/g, " ")
    .trim();

/**
 * The index where a call's arguments begin, after `describe`, `it.each(...)`, `test.each<Case>(...)`, `it.skipIf(...)`
 * and the like.
 */
function argumentsAfter(code: string, from: number): number | null {
  let at = from;
  for (;;) {
    at += /^\s*(?:\.\s*\w+)?/.exec(code.slice(at, at + 40))?.[0].length ?? 0;
    if (code[at] === "<") at = closing(code, at, "<", ">");
    if (code[at] === ".") continue;
    if (code[at] !== "(") return null;
    const end = closing(code, at, "(", ")");
    if (!/^\s*[.(]/.test(code.slice(end, end + 40))) return at + 1;
    at = end;
  }
}

function closing(code: string, from: number, opens: string, closes: string): number {
  let open = 0;
  for (let at = from; at < code.length; at += 1) {
    if (code[at] === opens) open += 1;
    // the > of an arrow is not a closing bracket
    if (code[at] === closes && code[at - 1] !== "=") open -= 1;
    if (open === 0) return at + 1;
  }
  return code.length;
}

/** Titles of `describe`, `it` and `test`, as written in the source. */
export function titlesOf(path: string, text: string): Words[] {
  const pieces = piecesOf(path, text);
  const lineOf = lineCounter(text);
  const blanked = text.split("");
  for (const { from, to } of pieces) for (let at = from; at < to; at += 1) if (blanked[at] !== "\n") blanked[at] = " ";
  const code = blanked.join("");
  const strings = new Map(
    pieces.flatMap((piece) => (piece.kind === "string" ? [[piece.from, piece.to] as const] : [])),
  );
  return [...code.matchAll(/(?<![\w.])(?:describe|it|test)(?=[.(<])/g)].flatMap((match) => {
    const after = argumentsAfter(code, match.index + match[0].length);
    if (after === null) return [];
    const from = after + (/^\s*/.exec(text.slice(after))?.[0].length ?? 0);
    const to = strings.get(from);
    return to === undefined ? [] : [{ text: text.slice(from + 1, to - 1), line: lineOf(from) }];
  });
}
