/** Files in buckets. No bucket can be defined yet, so that whatever needs one says that it doesn't exist. */
import { failure } from '../errors/error.js';
import type { FileReference } from '../value/value.js';
import type { FunctionRow, ParameterSpec } from './calls/contract.js';
import { define } from './calls/define.js';
import { any, file, object, optional, text } from './calls/parameters.js';

/** A function of a file in a bucket. */
function ofStored(
  name: string,
  description: string,
  returns: string,
  ...others: readonly ParameterSpec[]
): FunctionRow {
  return {
    name: `file::${name}`,
    parameters: [file('file'), ...others],
    returns,
    description,
    deterministic: false,
    run: ([given]) => {
      throw failure('bucket_missing', { name: (given as FileReference).bucket });
    },
  };
}

export const fileFunctions: readonly FunctionRow[] = [
  define('file::bucket', [file('file')], 'string', 'The bucket of a file.', ({ bucket }) => bucket),
  ofStored('copy', 'Copies a file to another key.', 'none', text('key')),
  ofStored('copy_if_not_exists', 'Copies a file to a key that is free.', 'none', text('key')),
  ofStored('delete', 'Deletes a file.', 'none'),
  ofStored('exists', 'Whether a file exists.', 'bool'),
  ofStored('get', 'The bytes of a file; NONE if it doesn’t exist.', 'bytes'),
  ofStored('head', 'What is known of a file beside its bytes.', 'object'),
  define('file::key', [file('file')], 'string', 'The key of a file in its bucket.', ({ key }) => key),
  define(
    'file::list',
    [text('bucket'), optional(object('options'))],
    'array<object>',
    'The files of a bucket.',
    (name) => {
      throw failure('bucket_missing', { name });
    },
    { deterministic: false },
  ),
  ofStored('put', 'Writes a file.', 'none', any('content')),
  ofStored('put_if_not_exists', 'Writes a file unless it exists.', 'none', any('content')),
  ofStored('rename', 'Moves a file to another key.', 'none', text('key')),
  ofStored('rename_if_not_exists', 'Moves a file to a key that is free.', 'none', text('key')),
];
