#!/usr/bin/env bash
# exceljs 4.4.0 and SheetJS (xlsx 0.18.5), on texts that read like a workbook's own escapes: `_x0041_` and `_x005F_`, as
# product codes, hashtags and names of files may.
#
# ECMA-376 (part 1, 22.9.2.19, ST_Xstring) writes a character that XML cannot hold as `_xHHHH_`, and so the underscore of a
# text that already reads like one as `_x005F_`: the text `_x0041_` is `_x005F_x0041_` in the file.
# Expected: each library reads back what it wrote.
# Seen: both know the escapes when they read, but write the texts as they are: `_x0041_` comes back as `A`, `_x005F_` as `_`.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund exceljs@4.4.0 xlsx@0.18.5
cat > read.cjs <<'JS'
const ExcelJS = require("exceljs");
const XLSX = require("xlsx");

const typed = ["_x0041_", "_x005F_"];

function bySheetjs() {
  const book = XLSX.utils.book_new();
  XLSX.utils.book_append_sheet(book, XLSX.utils.aoa_to_sheet(typed.map((text) => [text])), "texts");
  const again = XLSX.read(XLSX.write(book, { type: "buffer", bookType: "xlsx" }));
  return XLSX.utils.sheet_to_json(again.Sheets.texts, { header: 1 }).map(([text]) => text);
}

async function byExceljs() {
  const book = new ExcelJS.Workbook();
  const sheet = book.addWorksheet("texts");
  for (const text of typed) sheet.addRow([text]);
  const again = new ExcelJS.Workbook();
  await again.xlsx.load(await book.xlsx.writeBuffer());
  return typed.map((_, at) => again.worksheets[0].getRow(at + 1).getCell(1).value);
}

(async () => {
  const read = [bySheetjs(), await byExceljs()].map((texts) => texts.join(" "));
  console.log(`written: ${typed.join(" ")}; read by SheetJS: ${read[0]}, by exceljs: ${read[1]}`);
  process.exit(read.every((texts) => texts === "A _") ? 0 : 1);
})();
JS
node read.cjs
