/** Files as objects: what is known of them, and an address at which they can be got. */
import { GraphQLNonNull, GraphQLObjectType, type GraphQLScalarType } from 'graphql';
import { failure } from '../../errors/error.js';
import { FileReference, type Value } from '../../value/value.js';
import { namedInError } from '../base/errors.js';
import { SCALARS } from '../base/scalars.js';
import { fromSource, ofFiles } from '../execution/field-source.js';
import { URL_OF_FILE } from '../execution/file-fetch.js';
import type { FieldConfig } from './object-fields.js';

const DIGEST = 'sha-256:';

/** The type of files, under a name that is free; `buckets` are those that exist. */
export function fileType(name: string, buckets: ReadonlySet<string>): GraphQLObjectType {
  return new GraphQLObjectType({
    name,
    description: 'A file in a bucket.',
    extensions: ofFiles(({ bucket }) => buckets.has(bucket)),
    fields: {
      id: part(SCALARS.ID, 'Its bucket and key, as inputs take it: "avatars:/ann.png".', fileId),
      bucket: part(SCALARS.String, 'The name of its bucket.', ({ bucket }) => bucket),
      key: part(SCALARS.String, 'Its key in the bucket, which begins with a slash.', ({ key }) => key),
      name: part(SCALARS.String, 'The last part of its key.', ({ key }) => key.slice(key.lastIndexOf('/') + 1)),
      size: fact('size', SCALARS.Int, 'In bytes.'),
      type: fact('type', SCALARS.String, 'Its media type.'),
      updated: fact('updated', SCALARS.datetime, 'When it was put.'),
      sha256: fact('digest', SCALARS.String, 'SHA-256 of its bytes, in hexadecimal digits.', (digest) =>
        typeof digest === 'string' ? digest.slice(DIGEST.length) : undefined,
      ),
      version: fact('version', SCALARS.String, 'Another one each time that it is put.'),
      url: {
        type: SCALARS.String,
        description: 'An address at which it can be got without signing in; null where the user may not get it.',
        args: {
          for: { type: SCALARS.duration, description: 'How long the address is good; an hour without.' },
          session: {
            type: SCALARS.Boolean,
            description: 'Whether it ends with the session that asks, if that is sooner.',
          },
        },
        extensions: fromSource({ kind: 'file', function: URL_OF_FILE }),
      },
    },
  });
}

/** A field about the file value itself. */
function part(type: GraphQLScalarType, description: string, read: (file: FileReference) => string): FieldConfig {
  return fact('file', type, description, (file) => (file instanceof FileReference ? read(file) : undefined));
}

/** A field about what `file::head` shows. */
function fact(
  column: string,
  type: GraphQLScalarType,
  description: string,
  read?: (value: Value) => Value,
): FieldConfig {
  return {
    type: new GraphQLNonNull(type),
    description,
    extensions: fromSource({ kind: 'column', column, ...(read && { read }) }),
  };
}

function fileId({ bucket, key }: FileReference): string {
  return `${bucket}:${key}`;
}

/** The file that an input names: `avatars:/ann.png`. @throws TesseraError `graphql_argument` */
export function readFileId(text: string): FileReference {
  const separator = text.indexOf(':/');
  if (separator !== -1) return new FileReference(text.slice(0, separator), text.slice(separator + 1));
  throw failure('graphql_argument', { reason: `"${namedInError(text)}" is not a file, such as avatars:/ann.png` });
}
