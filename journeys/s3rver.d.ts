declare module "s3rver" {
  import type { RequestListener } from "node:http";

  /** What the journeys use of it; the package carries no types of its own. */
  class S3rver {
    constructor(options: {
      directory: string;
      silent: boolean;
      vhostBuckets: boolean;
      configureBuckets: { name: string }[];
    });
    configureBuckets(): Promise<unknown>;
    callback(): RequestListener;
  }
  export = S3rver;
}
