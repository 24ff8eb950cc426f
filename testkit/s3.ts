import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listenLocally } from "./machine.ts";

/** The few S3 calls that exports need, for a bucket in memory. Lists have two items per page. */
export interface S3Stub {
  /** for the SDK's client */
  settings: { endpoint: string; region: string; credentials: { accessKeyId: string; secretAccessKey: string } };
  bucket: string;
  objects: Map<string, Buffer>;
  /** by upload id */
  uploads: Map<string, { key: string; parts: Map<number, Buffer> }>;
  /** each call: method, key, and the S3 operation */
  calls: string[];
  /** returns the status with which a call is refused; null: the call is executed */
  refuse: ((call: string) => number | null) | null;
  close(): Promise<void>;
}

const pageSize = 2;
const etagOf = (bytes: Buffer): string => `"${createHash("md5").update(bytes).digest("hex")}"`;
const element = (name: string, text: string | number): string => `<${name}>${text}</${name}>`;

export async function openS3(bucket = "exports"): Promise<S3Stub> {
  const server = createServer((request, response) => void answer(stub, request, response));
  const { port, close } = await listenLocally(server);
  const credentials = { accessKeyId: "test", secretAccessKey: "secret" };
  const stub: S3Stub = {
    settings: { endpoint: `http://127.0.0.1:${port}`, region: "eu-test-1", credentials },
    bucket,
    objects: new Map(),
    uploads: new Map(),
    calls: [],
    refuse: null,
    close,
  };
  return stub;
}

interface Call {
  key: string;
  query: URLSearchParams;
  body: Buffer;
  range: string | undefined;
}

type Done = { status: number; body?: string | Buffer; headers?: Record<string, string> };

async function answer(stub: S3Stub, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const url = new URL(request.url ?? "/", "http://s3.test");
  const [, bucket = "", ...rest] = url.pathname.split("/");
  const call: Call = {
    key: decodeURIComponent(rest.join("/")),
    query: url.searchParams,
    body: Buffer.concat(chunks),
    range: request.headers.range,
  };
  const { status, body = "", headers = {} } = perform(stub, bucket, request, call);
  response.writeHead(status, { "content-type": "application/xml", ...headers }).end(body);
}

function perform(stub: S3Stub, bucket: string, request: IncomingMessage, call: Call): Done {
  const name = operationOf(request.method ?? "", call);
  stub.calls.push(`${name} ${call.key}`);
  if (!/^AWS4-HMAC-SHA256 Credential=test\//.test(request.headers.authorization ?? ""))
    return refusal(403, "AccessDenied");
  if (bucket !== stub.bucket) return refusal(404, "NoSuchBucket");
  const refused = stub.refuse?.(name) ?? null;
  if (refused !== null) return refusal(refused, refused === 501 ? "NotImplemented" : "Refused");
  return operations[name](stub, call);
}

const refusal = (status: number, code: string): Done => ({
  status,
  body: `<?xml version="1.0"?><Error>${element("Code", code)}${element("Message", code)}</Error>`,
});

type Operation = keyof typeof operations;

function operationOf(method: string, { key, query }: Call): Operation {
  if (key === "") return query.has("uploads") ? "listUploads" : "list";
  if (method === "POST") return query.has("uploads") ? "begin" : "complete";
  if (method === "PUT") return query.has("uploadId") ? "part" : "put";
  if (method === "DELETE") return query.has("uploadId") ? "abort" : "delete";
  return "get";
}

const operations = {
  put: (stub: S3Stub, { key, body }: Call): Done => {
    stub.objects.set(key, body);
    return { status: 200, headers: { etag: etagOf(body) } };
  },
  get: (stub: S3Stub, { key, range }: Call): Done => {
    const bytes = stub.objects.get(key);
    if (!bytes) return refusal(404, "NoSuchKey");
    const match = /^bytes=(\d+)-(\d+)$/.exec(range ?? "");
    if (!match) return { status: 200, body: bytes, headers: { etag: etagOf(bytes) } };
    return { status: 206, body: bytes.subarray(Number(match[1]), Number(match[2]) + 1) };
  },
  delete: (stub: S3Stub, { key }: Call): Done => {
    stub.objects.delete(key);
    return { status: 204 };
  },
  begin: (stub: S3Stub, { key }: Call): Done => {
    const id = randomUUID();
    stub.uploads.set(id, { key, parts: new Map() });
    return xml("InitiateMultipartUploadResult", element("UploadId", id));
  },
  part: (stub: S3Stub, { query, body }: Call): Done => {
    const upload = stub.uploads.get(query.get("uploadId") ?? "");
    if (!upload) return refusal(404, "NoSuchUpload");
    upload.parts.set(Number(query.get("partNumber")), body);
    return { status: 200, headers: { etag: etagOf(body) } };
  },
  complete: (stub: S3Stub, { query, body }: Call): Done => {
    const id = query.get("uploadId") ?? "";
    const upload = stub.uploads.get(id);
    if (!upload) return refusal(404, "NoSuchUpload");
    const numbers = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber>/g)].map((match) => Number(match[1]));
    const tags = [...body.toString().matchAll(/<ETag>([^<]*)<\/ETag>/g)].map((match) =>
      match[1]?.replaceAll("&quot;", '"'),
    );
    const parts = numbers.map((number) => upload.parts.get(number) ?? Buffer.alloc(0));
    if (parts.some((part, index) => etagOf(part) !== tags[index])) return refusal(400, "InvalidPart");
    const tooSmall = parts.slice(0, -1).some((part) => part.length < 5 * 1024 * 1024);
    if (tooSmall) return refusal(400, "EntityTooSmall");
    stub.objects.set(upload.key, Buffer.concat(parts));
    stub.uploads.delete(id);
    return xml("CompleteMultipartUploadResult", element("Key", upload.key));
  },
  abort: (stub: S3Stub, { query }: Call): Done => {
    stub.uploads.delete(query.get("uploadId") ?? "");
    return { status: 204 };
  },
  list: (stub: S3Stub, { query }: Call): Done => {
    const after = query.get("continuation-token") ?? "";
    const keys = [...stub.objects.keys()]
      .filter((key) => key.startsWith(query.get("prefix") ?? "") && key > after)
      .sort();
    const page = keys.slice(0, pageSize);
    const more = keys.length > pageSize;
    const contents = page.map((key) => element("Contents", element("Key", key))).join("");
    const next = more ? element("NextContinuationToken", page.at(-1) ?? "") : "";
    return xml("ListBucketResult", contents + element("IsTruncated", String(more)) + next);
  },
  listUploads: (stub: S3Stub, { query }: Call): Done => {
    const after = `${query.get("key-marker") ?? ""} ${query.get("upload-id-marker") ?? ""}`;
    const all = [...stub.uploads].map(([id, { key }]) => ({ id, key, place: `${key} ${id}` }));
    const left = all
      .filter(({ key, place }) => key.startsWith(query.get("prefix") ?? "") && place > after)
      .sort((a, b) => (a.place < b.place ? -1 : 1));
    const page = left.slice(0, pageSize);
    const more = left.length > pageSize;
    const last = page.at(-1);
    const uploads = page
      .map(({ id, key }) => element("Upload", element("Key", key) + element("UploadId", id)))
      .join("");
    const next = last ? element("NextKeyMarker", last.key) + element("NextUploadIdMarker", last.id) : "";
    return xml("ListMultipartUploadsResult", uploads + element("IsTruncated", String(more)) + (more ? next : ""));
  },
};

const xml = (root: string, inner: string): Done => ({
  status: 200,
  body: `<?xml version="1.0" encoding="UTF-8"?><${root} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${inner}</${root}>`,
});
