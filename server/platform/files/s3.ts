import type { Readable } from "node:stream";
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
  S3ServiceException,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import {
  assertFileName,
  type ByteRange,
  FileMissing,
  type FileSink,
  type FileStorage,
  storageFailed,
} from "./types.ts";

/**
 * Files in a bucket. A file appears when its upload is completed, so that nobody ever sees half of one. Region,
 * credentials and the address of another service than Amazon's come from the SDK's own settings (AWS_REGION,
 * AWS_ENDPOINT_URL_S3, ...), unless they are given.
 */
export class S3Files implements FileStorage {
  readonly #bucket: Bucket;

  /** @param prefix of every key: empty, or ending in `/` */
  constructor({ bucket, prefix }: { bucket: string; prefix: string }, settings: S3ClientConfig = {}) {
    this.#bucket = { client: new S3Client({ ...defaults, ...settings }), name: bucket, prefix };
  }

  async write(name: string): Promise<FileSink> {
    assertFileName(name);
    return new S3Sink(this.#bucket, this.#bucket.prefix + name);
  }

  async read(name: string, range?: ByteRange): Promise<Readable> {
    assertFileName(name);
    const { client, name: bucket, prefix } = this.#bucket;
    const wanted = range ? { Range: `bytes=${range.start}-${range.end}` } : {};
    const command = new GetObjectCommand({ Bucket: bucket, Key: prefix + name, ...wanted });
    const { Body } = await client.send(command).catch((error) => {
      throw error instanceof NoSuchKey ? new FileMissing(name) : storageFailed(error);
    });
    return Body as Readable;
  }

  remove(name: string): Promise<void> {
    assertFileName(name);
    const { client, name: Bucket, prefix } = this.#bucket;
    const Key = prefix + name;
    return guarded(async () => {
      await client.send(new DeleteObjectCommand({ Bucket, Key }));
      for await (const upload of uploadsBelow(this.#bucket, Key)) {
        if (upload.key === Key)
          await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId: upload.id }));
      }
    });
  }

  async *names(): AsyncGenerator<string> {
    const { prefix } = this.#bucket;
    for await (const key of objectsBelow(this.#bucket)) yield key.slice(prefix.length);
    for await (const { key } of uploadsBelow(this.#bucket, prefix)) yield key.slice(prefix.length);
  }

  close(): void {
    this.#bucket.client.destroy();
  }
}

interface Bucket {
  client: S3Client;
  name: string;
  prefix: string;
}

const defaults: S3ClientConfig = {
  // what S3-compatible services all take, and Amazon as well
  forcePathStyle: true,
  followRegionRedirects: true,
  // other services refuse the checksums that the SDK adds by itself
  requestChecksumCalculation: "WHEN_REQUIRED",
  responseChecksumValidation: "WHEN_REQUIRED",
  // up to the answer's headers: its body may take as long as the client that it is sent on to
  requestHandler: { connectionTimeout: 3_000, requestTimeout: 20_000, throwOnRequestTimeout: true },
};

/** S3 takes 10,000 parts a file, of 5 MiB at least but for the last: with this size files up to 160 GB. */
const partBytes = 16 * 1024 * 1024;

/** Holds one part that fills and one that is on its way. */
class S3Sink implements FileSink {
  readonly #bucket: Bucket;
  readonly #key: string;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #uploadId: string | undefined;
  readonly #parts: { ETag: string | undefined; PartNumber: number }[] = [];
  #sending: Promise<void> = Promise.resolve();
  #ended = false;

  constructor(bucket: Bucket, key: string) {
    this.#bucket = bucket;
    this.#key = key;
  }

  async write(bytes: Uint8Array): Promise<void> {
    // the caller may fill its buffer anew
    this.#waiting.push(Buffer.from(bytes));
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes >= partBytes) await guarded(() => this.#sendPart());
  }

  finish(): Promise<void> {
    return guarded(async () => {
      const at = this.#place;
      if (this.#uploadId === undefined) {
        await this.#bucket.client.send(new PutObjectCommand({ ...at, Body: this.#take() }));
      } else {
        if (this.#waitingBytes > 0) await this.#sendPart();
        await this.#sending;
        const MultipartUpload = { Parts: this.#parts };
        const command = new CompleteMultipartUploadCommand({ ...at, UploadId: this.#uploadId, MultipartUpload });
        await this.#bucket.client.send(command);
      }
      this.#ended = true;
    });
  }

  abort(): Promise<void> {
    return guarded(async () => {
      this.#take();
      await this.#sending.catch(() => undefined);
      if (this.#ended || this.#uploadId === undefined) return;
      this.#ended = true;
      await this.#bucket.client.send(new AbortMultipartUploadCommand({ ...this.#place, UploadId: this.#uploadId }));
    });
  }

  get #place() {
    return { Bucket: this.#bucket.name, Key: this.#key };
  }

  #take(): Buffer {
    const bytes = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
    return bytes;
  }

  /** Waits for the part before, then lets this one go on its way. */
  async #sendPart(): Promise<void> {
    await this.#sending;
    const { client } = this.#bucket;
    if (this.#uploadId === undefined) {
      const begun = await client.send(new CreateMultipartUploadCommand(this.#place));
      if (begun.UploadId === undefined) throw new Error("the storage began an upload without an id");
      this.#uploadId = begun.UploadId;
    }
    const PartNumber = this.#parts.length + 1;
    const part = { ETag: undefined as string | undefined, PartNumber };
    this.#parts.push(part);
    const command = new UploadPartCommand({
      ...this.#place,
      UploadId: this.#uploadId,
      PartNumber,
      Body: this.#take(),
    });
    this.#sending = client.send(command).then(({ ETag }) => {
      part.ETag = ETag;
    });
    // its failure is met by whoever waits for it next
    this.#sending.catch(() => undefined);
  }
}

async function* objectsBelow({ client, name, prefix }: Bucket): AsyncGenerator<string> {
  let ContinuationToken: string | undefined;
  do {
    const token = ContinuationToken === undefined ? {} : { ContinuationToken };
    const page = await guarded(() => client.send(new ListObjectsV2Command({ Bucket: name, Prefix: prefix, ...token })));
    for (const { Key } of page.Contents ?? []) if (Key !== undefined) yield Key;
    ContinuationToken = page.IsTruncated ? page.NextContinuationToken : undefined;
  } while (ContinuationToken !== undefined);
}

interface UploadPlace {
  KeyMarker?: string;
  UploadIdMarker?: string;
}

async function* uploadsBelow(bucket: Bucket, prefix: string): AsyncGenerator<{ key: string; id: string }> {
  for (let place: UploadPlace | null = {}; place; ) {
    const page: Omit<ListMultipartUploadsCommandOutput, "$metadata"> = await uploadsPage(bucket, prefix, place);
    for (const { Key, UploadId } of page.Uploads ?? []) {
      if (Key !== undefined && UploadId !== undefined) yield { key: Key, id: UploadId };
    }
    const { IsTruncated, NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker = "" } = page;
    place = IsTruncated && KeyMarker !== undefined ? { KeyMarker, UploadIdMarker } : null;
  }
}

/** Not every service that speaks S3's protocol lists uploads; one that does not has to end them by a rule of its own. */
const notOffered = 501;

const uploadsPage = ({ client, name }: Bucket, Prefix: string, place: UploadPlace) =>
  guarded(async (): Promise<Omit<ListMultipartUploadsCommandOutput, "$metadata">> => {
    try {
      return await client.send(new ListMultipartUploadsCommand({ Bucket: name, Prefix, ...place }));
    } catch (error) {
      if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === notOffered) return {};
      throw error;
    }
  });

async function guarded<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw storageFailed(error);
  }
}
