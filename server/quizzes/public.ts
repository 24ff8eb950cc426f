/** The part of this slice that other slices and the command line may use. */
export { approvalRetention } from "./approvals.ts";
export { fullDefinition, questionForms } from "./definition.ts";
export { importQuiz } from "./import.ts";
export { type LivePresentation, livePresentation } from "./live-presentation.ts";
export {
  livePublication,
  liveQuizzes,
  liveVersion,
  type Publication,
  type ShopFacts,
} from "./live-quizzes.ts";
export { hasQuiz, type Publish, presentQuizzes, publishesOf, quizNames } from "./lookups.ts";
export {
  type Preview,
  type PreviewedVersion,
  previewedVersion,
  previewLink,
  readPreview,
  signPreview,
} from "./previews.ts";
export { type CompiledVersion, VersionCache } from "./version-cache.ts";
