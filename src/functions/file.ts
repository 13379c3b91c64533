/** `file::*`: files in buckets (`FileAccess`). */
import { failure, type TesseraError } from '../errors/error.js';
import { FILE_ACTIONS, type FileAction } from '../language/ast.js';
import { toErrorText } from '../value/text/text.js';
import {
  Datetime,
  Duration,
  FileReference,
  isArray,
  isObject,
  kindOf,
  type ObjectValue,
  RecordId,
  type Value,
} from '../value/value.js';
import type { FunctionRow } from './calls/contract.js';
import { define } from './calls/define.js';
import { type FileListing, type FilePiece, LINK_METHODS, type LinkRequest, type RestoredFile } from './calls/files.js';
import { any, file, object, optional, text } from './calls/parameters.js';

/** Each reads or writes the store. */
const STORED = { deterministic: false } as const;
/** Bytes that a statement puts: texts become bytes in a few milliseconds, and the rest is done in steps. */
const LARGEST_PUT = 4 * 2 ** 20;

export const fileFunctions: readonly FunctionRow[] = [
  define('file::bucket', [file('file')], 'string', 'The bucket of a file.', ({ bucket }) => bucket),
  moves('copy', 'Copies a file to another key, or to a file of another bucket.', false),
  moves('copy_if_not_exists', 'Copies a file unless there is one at the target.', true),
  define(
    'file::delete',
    [file('file'), optional(object('options'))],
    'none',
    'Deletes a file, if there is one. Options: { expected }.',
    (of, options, { files }) => files.delete(of, expectedOf(options)),
    STORED,
  ),
  define(
    'file::exists',
    [file('file')],
    'bool',
    'Whether a file exists.',
    async (of, { files }) => (await files.head(of)) !== undefined,
    STORED,
  ),
  define(
    'file::get',
    [file('file')],
    'bytes',
    'The bytes of a file; NONE if it doesn’t exist.',
    (of, { files }) => files.get(of),
    STORED,
  ),
  define(
    'file::head',
    [file('file')],
    'object',
    'What is known of a file beside its bytes; NONE if it doesn’t exist.',
    (of, { files }) => files.head(of),
    STORED,
  ),
  define('file::key', [file('file')], 'string', 'The key of a file in its bucket.', ({ key }) => key),
  define(
    'file::list',
    [text('bucket'), optional(object('options'))],
    'array<object>',
    'The files of a bucket by their keys, as `file::head` shows them: { limit, start, prefix }.',
    (bucket, options, { files }) => files.list(bucket, readListing(options)),
    STORED,
  ),
  define(
    'file::may',
    [file('file'), text('action'), optional(file('target'))],
    'bool',
    'Whether an action with a file would be allowed: put, get, head, list, delete, copy, rename.',
    (of, action, target, { files }) => files.may(of, readAction(action), target),
    STORED,
  ),
  puts(
    'put',
    'Writes or replaces a file: text, bytes, or integers from 0 to 255. Options: { type, expected, at, size, restored }.',
    false,
  ),
  puts('put_if_not_exists', 'Writes a file unless it exists.', true),
  define(
    'file::url',
    [file('file'), optional(object('options'))],
    'string',
    'An address at which a file can be got, or put, without signing in: { for, method, type, size, session }; for an hour.',
    (of, options, { files }) => files.url(of, readLinkRequest(options)),
    STORED,
  ),
  renames('rename', 'Moves a file to another key of its bucket.', false),
  renames('rename_if_not_exists', 'Moves a file to a key that is free.', true),
];

function puts(name: string, description: string, ifFree: boolean): FunctionRow {
  return define(
    `file::${name}`,
    [file('file'), any('content'), optional(object('options'))],
    'none',
    description,
    (of, data, options, { files }) => {
      const { type, upload } = options ?? {};
      return files.put(of, {
        data: upload === undefined ? inByteRange(data) : undefined,
        type: textOf(type),
        upload: textOf(upload),
        expected: expectedOf(options),
        ifFree,
        piece: pieceOf(options),
        restored: restoredOf(options),
      });
    },
    { ...STORED, largest: LARGEST_PUT },
  );
}

function moves(name: string, description: string, ifFree: boolean): FunctionRow {
  return define(
    `file::${name}`,
    [file('file'), any('target')],
    'none',
    description,
    (of, target, { files }) => files.copy(of, targetOf(of, target), ifFree),
    STORED,
  );
}

function renames(name: string, description: string, ifFree: boolean): FunctionRow {
  return define(
    `file::${name}`,
    [file('file'), text('key')],
    'none',
    description,
    (of, key, { files }) => files.rename(of, FileReference.keyOf(key), ifFree),
    STORED,
  );
}

function targetOf({ bucket }: FileReference, target: Value): FileReference {
  if (target instanceof FileReference) return target;
  if (typeof target !== 'string') throw failure('file_destination');
  return FileReference.of(bucket, target);
}

function readAction(text: string): FileAction {
  const action = FILE_ACTIONS.find((each) => each === text);
  if (action !== undefined) return action;
  throw failure('invalid_arguments', { name: 'file::may', reason: `Expected one of ${FILE_ACTIONS.join(', ')}` });
}

/** Other members mean nothing, as in the peer. A negative limit is none. */
function readListing({ limit, start, prefix }: ObjectValue = {}): FileListing {
  if (limit !== undefined && kindOf(limit) !== 'int')
    throw failure('file_operand', { type: 'int', value: toErrorText(limit) });
  const most = limit === undefined ? -1 : Number(limit);
  return { limit: most < 0 ? undefined : most, start: textOf(start), prefix: textOf(prefix) };
}

const HOUR = 3600;

function readLinkRequest({
  for: time,
  method: given = 'GET',
  type,
  size,
  session = false,
}: ObjectValue = {}): LinkRequest {
  const method = LINK_METHODS.find((each) => each === given);
  if (method === undefined) throw linkArguments(`Expected one of ${LINK_METHODS.join(', ')} as { method }`);
  if (method === 'GET' && (type !== undefined || size !== undefined))
    throw linkArguments('{ type } and { size } are for the method PUT');
  if (size !== undefined && !(typeof size === 'number' && Number.isInteger(size) && size >= 0))
    throw failure('file_operand', { type: 'int', value: toErrorText(size) });
  if (typeof session !== 'boolean') throw failure('file_operand', { type: 'bool', value: toErrorText(session) });
  return { method, seconds: secondsOf(time), type: textOf(type), size, endsWithSession: session };
}

function linkArguments(reason: string): TesseraError {
  return failure('invalid_arguments', { name: 'file::url', reason });
}

function secondsOf(time: Value): number {
  if (time === undefined) return HOUR;
  if (time instanceof Duration) return Number(time.nanoseconds / 1_000_000_000n);
  throw failure('file_operand', { type: 'duration', value: toErrorText(time) });
}

/** A version, or false for none. */
function expectedOf({ expected }: ObjectValue = {}): string | false | undefined {
  return expected === false ? false : textOf(expected);
}

/** Where a piece begins, and the size of the whole. */
function pieceOf({ at, size }: ObjectValue = {}): FilePiece | undefined {
  return at === undefined ? undefined : { at: countOf(at), size: countOf(size) };
}

function countOf(value: Value): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw failure('file_operand', { type: 'int', value: toErrorText(value) });
}

/** What `file::head` has shown of a file. */
function restoredOf({ restored }: ObjectValue = {}): RestoredFile | undefined {
  if (restored === undefined) return undefined;
  const { updated, owner, digest } = isObject(restored) ? restored : {};
  const isOwner = owner === undefined || owner instanceof RecordId;
  if (updated instanceof Datetime && isOwner && typeof digest === 'string') return { updated, owner, digest };
  throw failure('file_operand', {
    type: '{ updated: datetime, owner: option<record>, digest: string }',
    value: toErrorText(restored),
  });
}

function textOf(value: Value): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  throw failure('file_operand', { type: 'string', value: toErrorText(value) });
}

/** An array of integers, unless one of them isn't a byte. The peer takes each modulo 256. */
function inByteRange(data: Value): Value {
  if (!isArray(data)) return data;
  const wrong = data.find((each) => (typeof each === 'number' || typeof each === 'bigint') && (each < 0 || each > 255));
  if (wrong !== undefined)
    throw failure('cannot_cast', { reason: `Could not cast into \`bytes\` using input \`${toErrorText(wrong)}\`` });
  return data;
}
