/**
 * What shoppers may well type: each breaks some reader of lines, or is a number, a date, a formula or nothing for some
 * program that guesses.
 */
export const awkwardTexts: readonly string[] = [
  ...["two\n\nlines", "two\r\nlines", "ended\r\n", '=1+1, "quoted"', "=1+1", "'=1+1", "'", '"', '""', "',"],
  ...["+49 151 12345678", "01067", "1-2", "1,50", "0x1F", "1e5", "Infinity", "12345678901234567890"],
  ...["None", "NULL", "null", "NA", "n/a", "nan", "true", "FALSE", "-", ".", "\\N", "#N/A", "#REF!"],
  ...[" padded ", "tab\there", "back\\slash", "trailing\\", "a;b|c, d", "2026-01-02", "12:30", "3/4", "%s $HOME `id`"],
  ...[
    "😀 乾燥肌 בָּדוּק e\u0301",
    "\u2028separated",
    "a\u00a0b",
    "# no comment",
    "_x0041_",
    "<b>&amp;</b>",
    "\u0001control",
  ],
];
