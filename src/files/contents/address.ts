/** The address in BACKEND: where the bytes of a bucket are. */
import type { BucketDefinition } from '../../catalog/definitions/definition.js';
import { failure } from '../../errors/error.js';

export type ContentAddress =
  | { readonly kind: 'database' | 'memory' }
  | { readonly kind: 'folder'; readonly folder: string }
  | {
      readonly kind: 's3';
      readonly bucket: string;
      /** Empty, or ends with a slash. */
      readonly prefix: string;
      readonly endpoint: string | undefined;
      readonly region: string | undefined;
    };

export const DATABASE: ContentAddress = { kind: 'database' };
const FOLDER = /^file:(?:\/\/)?(\/?[^?#]*)(?:\?lowercase_paths=(?:true|false))?$/;
const S3 = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([^?#]*))?(\?[^#]*)?$/;
const S3_PARAMETERS: readonly string[] = ['endpoint', 'region'];

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
  const [, bucket, prefix = '', query = ''] = S3.exec(text) ?? [];
  if (bucket === undefined) throw failure('bucket_backend');
  const parameters = new URLSearchParams(query);
  for (const name of parameters.keys()) if (!S3_PARAMETERS.includes(name)) throw failure('bucket_backend');
  const trimmed = prefix.replace(/\/+$/, '');
  return {
    kind: 's3',
    bucket,
    prefix: trimmed === '' ? '' : `${trimmed}/`,
    endpoint: parameters.get('endpoint') ?? undefined,
    region: parameters.get('region') ?? undefined,
  };
}

/** The address of a bucket's bytes: the store, unless it has a BACKEND. */
export function contentAddressOf({ backend }: Pick<BucketDefinition, 'backend'>): ContentAddress {
  if (backend?.kind !== 'literal' || typeof backend.value !== 'string') return DATABASE;
  return readContentAddress(backend.value);
}
