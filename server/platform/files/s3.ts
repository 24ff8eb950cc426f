import { once } from "node:events";
import { PassThrough, type Readable } from "node:stream";
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  ListObjectsV2Command,
  NoSuchKey,
  S3Client,
  type S3ClientConfig,
  S3ServiceException,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import {
  assertFileName,
  type ByteRange,
  FileMissing,
  type FileSink,
  type FileStorage,
  guarded,
  storageFailed,
} from "./types.ts";

/**
 * Files in a bucket. A file appears when its upload is complete, so that nobody ever sees a partial one. Region,
 * credentials and the address of a service other than Amazon's come from the SDK's own settings (AWS_REGION,
 * AWS_ENDPOINT_URL_S3, ...), unless they are passed.
 */
export class S3Files implements FileStorage {
  readonly #bucket: Bucket;

  /** @param prefix for every key: empty, or ending in `/` */
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
    const headers = range ? { Range: `bytes=${range.start}-${range.end}` } : {};
    const command = new GetObjectCommand({ Bucket: bucket, Key: prefix + name, ...headers });
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
  // supported by Amazon and by all S3-compatible services
  forcePathStyle: true,
  followRegionRedirects: true,
  // other services refuse the checksums that the SDK adds by default
  requestChecksumCalculation: "WHEN_REQUIRED",
  responseChecksumValidation: "WHEN_REQUIRED",
  // until the response headers: the body may take as long as the client that it is forwarded to
  requestHandler: { connectionTimeout: 3_000, requestTimeout: 20_000, throwOnRequestTimeout: true },
};

/** S3 allows 10,000 parts per file, each but the last at least 5 MiB: this size allows files up to 160 GB. */
const partSize = 16 * 1024 * 1024;
/** one part is uploaded while the next one fills */
const queueSize = 2;

class S3Sink implements FileSink {
  readonly #bytes = new PassThrough();
  readonly #done: Promise<unknown>;
  #failed = false;

  constructor({ client, name: Bucket }: Bucket, Key: string) {
    const params = { Bucket, Key, Body: this.#bytes };
    // a failed upload destroys its source; the writer gets the upload's own error
    this.#bytes.on("error", () => undefined);
    this.#done = new Upload({ client, params, partSize, queueSize }).done();
    this.#done.catch(() => {
      this.#failed = true;
    });
  }

  write(bytes: Uint8Array): Promise<void> {
    return guarded(async () => {
      // copied, because the caller may reuse its buffer
      if (this.#bytes.write(Buffer.from(bytes))) return;
      const drained = Promise.race([once(this.#bytes, "drain"), this.#done]);
      // if the upload failed, its own error is the cause
      await drained.catch(() => this.#done);
    });
  }

  finish(): Promise<void> {
    return guarded(async () => {
      this.#bytes.end();
      await this.#done;
    });
  }

  async abort(): Promise<void> {
    // the writer has seen the failure, and nothing is left of the upload
    if (this.#failed) return;
    const aborted = new Error("the upload was aborted");
    this.#bytes.destroy(aborted);
    await this.#done.catch((error: unknown) => {
      if (error !== aborted) throw storageFailed(error);
    });
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

/** Some S3-compatible services cannot list uploads; there, a lifecycle rule has to end unfinished ones. */
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
