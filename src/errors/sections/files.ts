/** Errors of buckets and their files. */
import { row } from '../row.js';

export const fileErrors = {
  bucket_missing: row<{ name: string }>({
    kind: 'NotFound',
    text: ({ name }) => `The bucket '${name}' does not exist`,
    http: 404,
  }),
  bucket_exists: row<{ name: string }>({
    kind: 'AlreadyExists',
    text: ({ name }) => `The bucket '${name}' already exists`,
  }),
  bucket_read_only: row<{ name: string }>({
    kind: 'NotAllowed',
    text: ({ name }) => `Write operation is not supported, as bucket \`${name}\` is in read-only mode`,
    http: 403,
  }),
  bucket_backend: row({
    kind: 'Configuration',
    text: () =>
      'Bucket backend is not supported: use "database", "memory", "file:/folder" or "s3://bucket/prefix?endpoint=…"',
  }),
  bucket_denied: row<{ backend: string }>({
    kind: 'NotAllowed',
    text: ({ backend }) => `File access denied: ${backend}`,
  }),
  bucket_backend_kept: row<{ name: string }>({
    kind: 'Validation',
    text: ({ name }) => `The bucket '${name}' has files, so that its backend can't change: copy them to another bucket`,
  }),
  bucket_store: row<{ name: string; reason: string }>({
    kind: 'Internal',
    text: ({ name, reason }) => `The bytes of the bucket '${name}' can't be reached: ${reason}`,
    http: 503,
    retryable: true,
  }),
  bucket_full: row<{ name: string; most: number }>({
    kind: 'Validation',
    text: ({ name, most }) => `The bucket '${name}' may have ${most} files (MAXCOUNT)`,
    http: 507,
  }),
  file_operand: row<{ type: string; value: string }>({
    kind: 'Validation',
    text: ({ type, value }) => `Expected \`${type}\` but found \`${value}\``,
  }),
  file_denied: row<{ action: string; bucket: string }>({
    kind: 'NotAllowed',
    text: ({ action, bucket }) => `You don't have permission to ${action} this file in the \`${bucket}\` bucket`,
    details: (detail) => ({ kind: 'Permissions', details: { ...detail } }),
    http: 403,
  }),
  file_key: row<{ key: string; reason: string }>({
    kind: 'Validation',
    text: ({ key, reason }) => `The key of a file can't be ${key}: ${reason}`,
  }),
  file_source_missing: row<{ bucket: string; key: string }>({
    kind: 'NotFound',
    text: ({ bucket, key }) => `Operation for bucket \`${bucket}\` failed: Source key does not exist: ${key}`,
  }),
  file_destination: row({
    kind: 'Validation',
    text: () => 'Invalid destination file value',
  }),
  file_too_large: row<{ most: number; setting: string }>({
    kind: 'Validation',
    text: ({ most, setting }) => `The file has more than ${most} bytes (${setting})`,
    http: 413,
  }),
  file_type_malformed: row<{ type: string }>({
    kind: 'Validation',
    text: ({ type }) => `${type} is no media type, such as image/png`,
  }),
  file_type: row<{ type: string; types: readonly string[]; setting: string }>({
    kind: 'Validation',
    text: ({ type, types, setting }) =>
      `The bucket takes no files of type '${type}', but ${types.join(', ')} (${setting})`,
    http: 415,
  }),
  file_link: row({
    kind: 'NotAllowed',
    text: () => 'This link is over, or it isn’t one of this file',
    http: 403,
  }),
  file_link_time: row<{ most: number }>({
    kind: 'Validation',
    text: ({ most }) => `A link to a file lasts from a second to ${most} days`,
  }),
  file_link_session: row({
    kind: 'Validation',
    text: () => 'Only a record user who has signed in with a token that has an id can end a link by a session',
  }),
  file_missing: row({
    kind: 'NotFound',
    text: () => 'There is no such file',
    http: 404,
  }),
  file_digest: row({
    kind: 'Validation',
    text: () => 'The bytes that came don’t have the digest that was said: send the file again',
  }),
  file_restore: row({
    kind: 'NotAllowed',
    text: () => 'Only users whose role allows them to put any file may restore one, with its owner and time',
    http: 403,
  }),
  range_unsatisfiable: row<{ size: number }>({
    kind: 'Validation',
    text: ({ size }) => `The file has ${size} bytes, none of which are in the range`,
    http: 416,
  }),
  too_many_uploads: row<{ most: number; whose: string }>({
    kind: 'NotAllowed',
    text: ({ most, whose }) => `There are ${most} uploads ${whose} already: send the file when one of them is over`,
    http: 429,
    retryable: true,
  }),
  file_changed: row({
    kind: 'Validation',
    text: () => 'The file is not the version that was expected',
    http: 412,
  }),
  file_upload_offset: row<{ offset: number }>({
    kind: 'Validation',
    text: ({ offset }) => `The upload has ${offset} bytes: go on from there`,
    http: 409,
  }),
  file_upload_busy: row({
    kind: 'Validation',
    text: () => 'Another request goes on with this upload',
    http: 409,
  }),
  file_checksum: row({
    kind: 'Validation',
    text: () => 'The bytes that came are not those of Upload-Checksum: send them again',
    http: 460,
  }),
  tus_version: row({
    kind: 'Validation',
    text: () => 'The request needs Tus-Resumable: 1.0.0',
    http: 412,
  }),
  file_upload_over: row({
    kind: 'NotFound',
    text: () => 'The upload has expired, or was used before: send the file again',
    http: 410,
  }),
};
