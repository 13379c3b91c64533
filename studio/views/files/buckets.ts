/** The buckets of a database with their rules and limits, and the statement that defines one. */
import type { StatementSource } from '../../connection/statement-source.js';
import { listed } from '../../connection/statements.js';
import { identifier, textLiteral } from '../../connection/surrealql.js';
import type { Clause } from '../../connection/table-parts.js';

/** In the order in which they are shown. */
export const FILE_ACTIONS = ['get', 'head', 'list', 'put', 'delete', 'copy', 'rename'] as const;
export type FileAction = (typeof FILE_ACTIONS)[number];

/** As INFO … STRUCTURE gives it. */
export interface Bucket {
  readonly name: string;
  /** Absent: the bytes are in the store. */
  readonly backend?: string;
  readonly readonly: boolean;
  readonly max_size?: number;
  readonly max_count?: number;
  readonly types?: readonly string[];
  readonly comment?: string;
  /** One clause for all actions, or one for each. */
  readonly permissions: Clause | Readonly<Partial<Record<FileAction, Clause>>>;
}

/** By name. @throws Error for users who may not see the definitions */
export async function loadBuckets(connection: StatementSource): Promise<readonly Bucket[]> {
  const [{ buckets }] = await connection.query<[{ readonly buckets: readonly Bucket[] }]>('INFO FOR DB STRUCTURE');
  return buckets;
}

/** What record users and guests may do with a bucket. */
export function clauseFor(action: FileAction, { permissions }: Bucket): Clause {
  return typeof permissions === 'object' ? (permissions[action] ?? false) : permissions;
}

/** Rules to begin with. */
export const RULES = {
  system: { title: 'System users alone', clause: 'NONE' },
  owner: {
    title: 'Only its owner',
    clause: 'FOR get, head, list, put, delete, copy, rename WHERE owner = $auth.id',
  },
  shown: {
    title: 'Everyone may get, its owner the rest',
    clause: 'FOR get, head FULL, FOR list, put, delete, copy, rename WHERE owner = $auth.id',
  },
  published: { title: 'Everyone may get and list', clause: 'FOR get, head, list FULL' },
  everyone: { title: 'Everyone may do all', clause: 'FULL' },
} as const;

export type Rule = keyof typeof RULES;

export interface BucketChoice {
  readonly name: string;
  /** Empty: in the store. */
  readonly backend: string;
  /** In bytes; empty: no limit. */
  readonly maxSize: string;
  /** Media types with commas between; empty: all. */
  readonly types: string;
  readonly rule: Rule;
}

export function defineBucket({ name, backend, maxSize, types, rule }: BucketChoice): string {
  return [
    `DEFINE BUCKET ${identifier(name)}`,
    backend.trim() !== '' && `BACKEND ${textLiteral(backend.trim())}`,
    maxSize.trim() !== '' && `MAXSIZE ${Number.parseInt(maxSize, 10) || 0}`,
    listed(types).length > 0 && `TYPES ${listed(types).map(textLiteral).join(', ')}`,
    `PERMISSIONS ${RULES[rule].clause}`,
  ]
    .filter((part) => part !== false)
    .join(' ');
}
