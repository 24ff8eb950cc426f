#!/usr/bin/env bash
# read-excel-file 9.3.17 reads times of a workbook of exceljs 4.4.0 a millisecond early.
#
# A workbook has a time as days since 1899-12-30, a binary fraction, which comes nearer to a millisecond than to any other
# but seldom is one exactly.
# Expected: the millisecond that is nearest, as SheetJS and exceljs read it: every time that was written.
# Seen: read-excel-file cuts the fraction off instead of rounding, so that many times, and with them some days, are others.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund exceljs@4.4.0 read-excel-file@9.3.17
cat > read.mjs <<'JS'
import ExcelJS from "exceljs";
import * as reader from "read-excel-file/node";

const start = Date.parse("2026-03-04T00:00:00.000Z");
const written = Array.from({ length: 1_000 }, (_, at) => new Date(start + at * 61_001));
const workbook = new ExcelJS.Workbook();
const sheet = workbook.addWorksheet("times");
for (const time of written) sheet.addRow([time]).getCell(1).numFmt = "yyyy-mm-dd hh:mm:ss.000";
await workbook.xlsx.writeFile("times.xlsx");

const read = await (reader.default ?? reader.readXlsxFile)("times.xlsx");
const byReader = (read[0]?.data ?? read).map(([time]) => time.getTime());
const again = new ExcelJS.Workbook();
await again.xlsx.readFile("times.xlsx");
const byExceljs = written.map((_, at) => again.worksheets[0].getRow(at + 1).getCell(1).value.getTime());
const early = byReader.filter((time, at) => time === written[at].getTime() - 1).length;
const wrong = byExceljs.filter((time, at) => time !== written[at].getTime()).length;
console.log(`of 1000 times: read-excel-file reads ${early} a millisecond early, exceljs ${wrong} otherwise than written`);
process.exit(early > 100 && wrong === 0 ? 0 : 1);
JS
node read.mjs
