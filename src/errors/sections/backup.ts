/** Errors of backups, of archives of commits, and of restores. */
import { row } from '../row.js';

export const backupErrors = {
  backup_unsupported: row<{ store: string; instead: string }>({
    kind: 'Configuration',
    text: ({ store, instead }) => `"tessera backup" copies stores in folders, and ${store} isn't in one. ${instead}`,
  }),
  backup_target_not_empty: row<{ location: string }>({
    kind: 'Configuration',
    text: ({ location }) =>
      `${location} holds something already. Name an empty place for the backup, or remove what an interrupted one left there`,
  }),
  backup_missing: row<{ location: string }>({
    kind: 'Configuration',
    text: ({ location }) =>
      `There is no complete backup in ${location}: its backup.json, which is written last, is missing`,
  }),
  backup_format: row<{ location: string; format: string; known: number }>({
    kind: 'Configuration',
    text: ({ location, format, known }) =>
      `The backup in ${location} has format ${format}, and this version of Tessera knows ${known} only. Use the version that made it, or a newer one`,
  }),
  backup_damaged: row<{ what: string }>({
    kind: 'Internal',
    text: ({ what }) => `The backup is damaged: ${what}. Restore another one`,
  }),
  backup_key_missing: row<{ location: string }>({
    kind: 'Configuration',
    text: ({ location }) =>
      `The backup in ${location} is encrypted. Name the file of its passphrase or key with --passphrase-file or --key-file`,
  }),
  backup_key_wrong: row<{ location: string }>({
    kind: 'Configuration',
    text: ({ location }) =>
      `The backup in ${location} can't be decrypted: it was made with another passphrase or key, or it is damaged`,
  }),
  backup_key_invalid: row<{ reason: string }>({
    kind: 'Configuration',
    text: ({ reason }) => `The key of backups can't be used: ${reason}`,
  }),
  backup_remote: row<{ location: string; reason: string }>({
    kind: 'Connection',
    text: ({ location, reason }) => `${location}: ${reason}`,
    retryable: true,
  }),
  restore_target_not_empty: row<{ folder: string }>({
    kind: 'Configuration',
    text: ({ folder }) => `The folder ${folder} holds something already. Restore into an empty one`,
  }),
  restore_incomplete: row<{ folder: string }>({
    kind: 'Configuration',
    text: ({ folder }) =>
      `The folder ${folder} holds a restore that is not complete. Run "tessera restore" again, which begins from the start, or remove the folder`,
    http: 503,
  }),
  restore_time: row<{ reason: string }>({
    kind: 'Configuration',
    text: ({ reason }) => `The store can't be restored to that time: ${reason}`,
  }),
  archive_foreign: row<{ folder: string }>({
    kind: 'Configuration',
    text: ({ folder }) =>
      `The folder ${folder} holds the archive of another store, or of this one before it was restored. Name an empty folder for the archive, and take a backup`,
  }),
  archive_gap: row<{ folder: string; from: number; to: number }>({
    kind: 'Configuration',
    text: ({ folder, from, to }) =>
      `The archive in ${folder} lacks what was written between versions ${from} and ${to} of the store. A backup of version ${to} or later can be brought forward by it`,
  }),
} as const;
