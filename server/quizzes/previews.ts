import { timingSafeEqual } from "node:crypto";
import type { QuizDocument } from "../../engine/document.ts";
import { isoTime } from "../platform/clock.ts";
import { ownStore, type Runner, type StoreRunner, sql } from "../platform/database/sql.ts";
import { formatId, uuidBytes, uuidFromBytes } from "../platform/ids.ts";
import { OperatorError } from "../platform/operator-error.ts";
import type { Secrets } from "../platform/secrets.ts";
import { readEarlier } from "./definition.ts";
import { findQuiz } from "./operators.ts";
import { parseVersionId } from "./rows.ts";
import { shownDocument } from "./safe-document.ts";
import { validVersion } from "./save-version.ts";

/**
 * Preview links [storefront.previews]: anybody with one sees a quiz as a shopper would, without an account and without
 * being counted. It contains the store, the quiz, the version or the draft, and its expiry, all of them signed.
 */
export interface Preview {
  /** UUIDs */
  storeId: string;
  quizId: string;
  /** null: the draft, in its state when the link is opened */
  versionId: string | null;
  /** in ms */
  expires: number;
}

const idLength = 16;
const bodyLength = 3 * idLength + 6;
const macLength = 32;
/** Stands for the draft; no version has this id, since a version's id begins with its time. */
const noVersion = Buffer.alloc(idLength);

export function signPreview(secrets: Secrets, { storeId, quizId, versionId, expires }: Preview): string {
  const end = Buffer.alloc(6);
  end.writeUIntBE(expires, 0, 6);
  const version = versionId === null ? noVersion : uuidBytes(versionId);
  const body = Buffer.concat([uuidBytes(storeId), uuidBytes(quizId), version, end]);
  return Buffer.concat([body, mac(secrets, body)]).toString("base64url");
}

/** The address of the page that shows it. */
export const previewAddress = ({ secrets, baseUrl }: { secrets: Secrets; baseUrl: string }, preview: Preview): string =>
  `${baseUrl}/preview/${signPreview(secrets, preview)}`;

/** null: the token is forged, altered or expired. */
export function readPreview(secrets: Secrets, token: string, now: number): Preview | null {
  const bytes = Buffer.from(token, "base64url");
  // another encoding of the same bytes was never signed
  if (bytes.length !== bodyLength + macLength || bytes.toString("base64url") !== token) return null;
  const body = bytes.subarray(0, bodyLength);
  if (!timingSafeEqual(bytes.subarray(bodyLength), mac(secrets, body))) return null;
  const id = (index: number): Buffer => body.subarray(index * idLength, (index + 1) * idLength);
  const expires = body.readUIntBE(3 * idLength, 6);
  if (expires <= now) return null;
  const versionId = id(2).equals(noVersion) ? null : uuidFromBytes(id(2));
  return { storeId: uuidFromBytes(id(0)), quizId: uuidFromBytes(id(1)), versionId, expires };
}

const mac = (secrets: Secrets, body: Buffer): Buffer => secrets.sign("preview link", body);

/** Ids are public; null for a draft, which has no version. */
export interface PreviewedVersion {
  quiz_id: string;
  name: string;
  version_id: string | null;
  version_number: number | null;
  document: QuizDocument;
}

/**
 * What a link shows; null if the quiz is deleted or never existed. Throws a 422 that names what prevents a draft from
 * being shown.
 */
export async function previewedVersion(
  db: StoreRunner,
  { quizId, versionId }: Pick<Preview, "quizId" | "versionId">,
): Promise<PreviewedVersion | null> {
  const quiz_id = formatId("quiz", quizId);
  if (versionId === null) {
    const row = await db.first(sql<{ name: string; draft: unknown; versions_numbered: number }>`
      SELECT name, draft, versions_numbered FROM quizzes
      WHERE store_id = ${ownStore} AND id = ${quizId} AND deleted_at IS NULL`);
    if (!row) return null;
    const { document } = await validVersion(row.draft, await readEarlier(db, quizId, row.versions_numbered));
    return { quiz_id, name: row.name, version_id: null, version_number: null, document };
  }
  const row = await db.first(sql<{ name: string; number: number; document: QuizDocument }>`
    SELECT q.name, v.number, v.document
    FROM quizzes q JOIN quiz_versions v ON v.store_id = q.store_id AND v.quiz_id = q.id
    WHERE q.store_id = ${ownStore} AND q.id = ${quizId} AND q.deleted_at IS NULL AND v.id = ${versionId}`);
  if (!row) return null;
  const { name, number } = row;
  const document = await shownDocument(row.document);
  return { quiz_id, name, version_id: formatId("ver", versionId), version_number: number, document };
}

export interface PreviewOptions {
  /** public ids */
  quiz: string;
  version: string | undefined;
  hours: number;
}

/** The link that `quizstore quiz preview` prints. Throws an OperatorError for an unknown quiz or version. */
export async function previewLink(
  db: Runner,
  { secrets, now, baseUrl }: { secrets: Secrets; now: number; baseUrl: string },
  { quiz, version, hours }: PreviewOptions,
) {
  const { storeId, quizId, deleted } = await findQuiz(db, quiz);
  if (deleted) throw new OperatorError(`quiz ${quiz} is deleted`);
  const versionId = version === undefined ? null : parseVersionId(version);
  if (version !== undefined) {
    const found = await db.forStore(storeId).first(sql`
      SELECT 1 FROM quiz_versions WHERE store_id = ${ownStore} AND quiz_id = ${quizId} AND id = ${versionId}`);
    if (!found) throw new OperatorError(`quiz ${quiz} has no version ${version}`);
  }
  const expires = now + hours * 3_600_000;
  return {
    url: previewAddress({ secrets, baseUrl }, { storeId, quizId, versionId, expires }),
    quiz_id: quiz,
    version_id: version ?? null,
    expires_at: isoTime(new Date(expires)),
  };
}
