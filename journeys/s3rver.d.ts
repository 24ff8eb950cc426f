declare module "s3rver" {
  import type { RequestListener } from "node:http";

  /** The parts that the journeys use; the package has no types. */
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
