export { codedFile } from "./coded-file.ts";
export {
  type Html,
  hashOf,
  htmlDocument,
  meta,
  nonceOf,
  pageHeaders,
  type SentencePage,
  type Shell,
  sentenceHeaders,
  sentencePage,
} from "./html.ts";
export { type BuildState, Built, type BuiltFiles, nothingBuilt, type ServedFile } from "./open-built.ts";
export { playerTarget } from "./targets.ts";
