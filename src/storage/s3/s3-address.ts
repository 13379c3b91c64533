/** Addresses of object stores, and the credentials for them. */

/** The location of objects, and the credentials. */
export interface S3Settings extends S3Credentials {
  readonly bucket: string;
  /** The prefix of their keys; empty, or ends with a slash. */
  readonly prefix: string;
  /** `https://minio.internal:9000`; `undefined` is Amazon's own. */
  readonly endpoint: string | undefined;
  readonly region: string;
}

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
}

const ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([^?#]*))?$/;

/** The bucket and the prefix of `s3://bucket/prefix`; `undefined` if it isn't one. */
export function readS3Location(address: string): Pick<S3Settings, 'bucket' | 'prefix'> | undefined {
  const [, bucket, path = ''] = ADDRESS.exec(address) ?? [];
  if (bucket === undefined) return undefined;
  const prefix = path.replace(/\/+$/, '');
  return { bucket, prefix: prefix === '' ? '' : `${prefix}/` };
}

/** What the environment says, by the variables that Amazon's own tools take. */
export interface S3Environment {
  /** Absent where the variables aren't set. */
  readonly credentials: S3Credentials | undefined;
  readonly endpoint: string | undefined;
  readonly region: string;
}

/** Reads `AWS_ACCESS_KEY_ID` and the like. */
export function readS3Environment(environment: Readonly<Record<string, string | undefined>>): S3Environment {
  const accessKeyId = environment['AWS_ACCESS_KEY_ID'];
  const secretAccessKey = environment['AWS_SECRET_ACCESS_KEY'];
  const sessionToken = environment['AWS_SESSION_TOKEN'] || undefined;
  return {
    credentials: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey, sessionToken } : undefined,
    endpoint: environment['AWS_ENDPOINT_URL_S3'] || environment['AWS_ENDPOINT_URL'] || undefined,
    region: environment['AWS_REGION'] || environment['AWS_DEFAULT_REGION'] || 'us-east-1',
  };
}
