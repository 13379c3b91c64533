/** The address in BACKEND: where the bytes of a bucket are. */
import type { BucketDefinition } from '../../catalog/definitions/definition.js';
import { failure } from '../../errors/error.js';
import { readS3Location } from '../../storage/s3/s3-address.js';

export type ContentAddress =
  | { readonly kind: 'database' | 'memory' }
  | { readonly kind: 'folder'; readonly folder: string }
  | ({ readonly kind: 's3' } & S3Location);

/** `s3://bucket/prefix?endpoint=https://…&region=…`; what is missing says the environment. */
export interface S3Location {
  readonly bucket: string;
  /** Empty, or ends with a slash. */
  readonly prefix: string;
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
}

export const DATABASE: ContentAddress = { kind: 'database' };
const FOLDER = /^file:(?:\/\/)?(\/?[^?#]*)(?:\?lowercase_paths=(?:true|false))?$/;
const PARAMETERS: readonly string[] = ['endpoint', 'region'];

/**
 * Reads the text behind BACKEND. Folders are absolute, with and without their first slash, as in the peer, which also
 * takes `lowercase_paths`; here names are ids.
 * @throws TesseraError `bucket_backend`
 */
export function readContentAddress(text: string): ContentAddress {
  if (text === 'database') return DATABASE;
  if (text === 'memory' || text === 'memory:') return { kind: 'memory' };
  const [, path] = FOLDER.exec(text) ?? [];
  if (path !== undefined && path !== '' && path !== '/') {
    return { kind: 'folder', folder: path.startsWith('/') ? path : `/${path}` };
  }
  const location = readObjectStore(text);
  if (location === undefined) throw failure('bucket_backend');
  return { kind: 's3', ...location };
}

/** `undefined` if a text isn't the address of an object store. */
export function readObjectStore(text: string): S3Location | undefined {
  const [address = '', query = ''] = text.split('?', 2);
  const named = readS3Location(address);
  const parameters = new URLSearchParams(query);
  if (named === undefined || [...parameters.keys()].some((name) => !PARAMETERS.includes(name))) return undefined;
  const endpoint = parameters.get('endpoint') ?? undefined;
  if (endpoint !== undefined && !isHttp(endpoint)) return undefined;
  return { ...named, endpoint, region: parameters.get('region') ?? undefined };
}

function isHttp(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, username, password } = new URL(address);
  return ['http:', 'https:'].includes(protocol) && username === '' && password === '';
}

/** The address of a bucket's bytes: the store, unless it has a BACKEND. */
export function contentAddressOf({ backend }: Pick<BucketDefinition, 'backend'>): ContentAddress {
  if (backend?.kind !== 'literal' || typeof backend.value !== 'string') return DATABASE;
  return readContentAddress(backend.value);
}
