import { headXml, type SheetColumn, widthsXml } from "./xlsx-cells.ts";
import { workbookText } from "./xlsx-text.ts";

/** The parts of a workbook besides its rows (ECMA-376, part 1), each a file in the archive. */

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const packages = "http://schemas.openxmlformats.org/package/2006";
const media = "application/vnd.openxmlformats-officedocument.spreadsheetml";

/** The archive's path of a sheet, from 1. */
export const sheetPath = (number: number): string => `xl/worksheets/sheet${number}.xml`;

/** A sheet up to its second row; the first stays in view. */
export const sheetHead = (columns: readonly SheetColumn[], number: number): string =>
  `${declaration}<worksheet xmlns="${main}"><sheetViews><sheetView${number === 1 ? ' tabSelected="1"' : ""} workbookViewId="0">` +
  '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>' +
  `<sheetFormatPr defaultRowHeight="15"/>${widthsXml(columns)}<sheetData>${headXml(columns)}`;

export const sheetFoot = "</sheetData></worksheet>";

export const packageRelations = `${declaration}<Relationships xmlns="${packages}/relationships">${relation(1, "officeDocument", "xl/workbook.xml")}</Relationships>`;

function relation(id: number, type: string, target: string): string {
  return `<Relationship Id="rId${id}" Type="${relations}/${type}" Target="${target}"/>`;
}

/** The formats of cells, to which xlsx-cells.ts refers by their index. */
export const styles =
  `${declaration}<styleSheet xmlns="${main}">` +
  '<numFmts count="3"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/>' +
  '<numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm"/>' +
  '<numFmt numFmtId="166" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss.000"/></numFmts>' +
  '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>' +
  '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
  '<cellXfs count="6"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>' +
  [49, 164, 165, 166]
    .map((format) => `<xf numFmtId="${format}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`)
    .join("") +
  '<xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1" applyAlignment="1">' +
  '<alignment vertical="top" wrapText="1"/></xf></cellXfs>' +
  '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>';

/** @param sheets their names */
export function workbook(sheets: readonly string[]): string {
  const each = sheets.map(
    (name, at) => `<sheet name="${workbookText(name)}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`,
  );
  return `${declaration}<workbook xmlns="${main}" xmlns:r="${relations}"><bookViews><workbookView/></bookViews><sheets>${each.join("")}</sheets></workbook>`;
}

export function workbookRelations(sheets: number): string {
  const each = Array.from({ length: sheets }, (_, at) =>
    relation(at + 1, "worksheet", `worksheets/sheet${at + 1}.xml`),
  );
  return `${declaration}<Relationships xmlns="${packages}/relationships">${each.join("")}${relation(sheets + 1, "styles", "styles.xml")}</Relationships>`;
}

export function contentTypes(sheets: number): string {
  const part = (path: string, type: string) => `<Override PartName="/${path}" ContentType="${media}.${type}+xml"/>`;
  const each = Array.from({ length: sheets }, (_, at) => part(sheetPath(at + 1), "worksheet"));
  return (
    `${declaration}<Types xmlns="${packages}/content-types">` +
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    '<Default Extension="xml" ContentType="application/xml"/>' +
    `${part("xl/workbook.xml", "sheet.main")}${part("xl/styles.xml", "styles")}${each.join("")}</Types>`
  );
}
