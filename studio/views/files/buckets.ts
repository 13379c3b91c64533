/** The buckets of a database with their rules and limits, and the statements that define and change one. */
import { altered, changedClause, changedComment, changedFlag } from '../../connection/alter.js';
import type { StatementSource } from '../../connection/statement-source.js';
import { clauseText, commented, joined, listed, type Permissions, permissions } from '../../connection/statements.js';
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

/** A bucket with which the user may do something. */
export interface UsableBucket {
  readonly name: string;
  /** The media types that it takes; none: all. */
  readonly types: readonly string[];
  /** What may be allowed for some file. */
  readonly may: Readonly<Record<FileAction, boolean>>;
}

/** By name. @throws Error for guests who may not query */
export async function loadUsableBuckets(connection: StatementSource): Promise<readonly UsableBucket[]> {
  type Row = Readonly<Record<FileAction, boolean>> & { readonly name: string; readonly types?: readonly string[] };
  const [buckets] = await connection.query<[readonly Row[]]>('INFO FOR BUCKETS');
  return buckets.map((row) => ({ name: row.name, types: row.types ?? [], may: row }));
}

/** What record users and guests may do with a bucket. */
export function clauseFor(action: FileAction, { permissions }: Bucket): Clause {
  return typeof permissions === 'object' ? (permissions[action] ?? false) : permissions;
}

const OWN = 'owner = $auth.id';

/** The same clause for all actions, but for these. */
function allBut(clause: string, others: Permissions<FileAction> = {}): Permissions<FileAction> {
  return Object.fromEntries(FILE_ACTIONS.map((action) => [action, others[action] ?? clause]));
}

/** Rules to begin with. */
export const RULES = {
  system: { title: 'System users alone', permissions: allBut('NONE') },
  owner: { title: 'Only its owner', permissions: allBut(OWN) },
  shown: { title: 'Everyone may get, its owner the rest', permissions: allBut(OWN, { get: 'FULL', head: 'FULL' }) },
  published: {
    title: 'Everyone may get and list',
    permissions: allBut('NONE', { get: 'FULL', head: 'FULL', list: 'FULL' }),
  },
  everyone: { title: 'Everyone may do all', permissions: allBut('FULL') },
} as const;

export type Rule = keyof typeof RULES;

/** A bucket as a form has it. */
export interface BucketChoice {
  readonly name: string;
  /** Empty: in the store. */
  readonly backend: string;
  readonly isReadonly: boolean;
  /** In bytes; empty: no limit. */
  readonly maxSize: string;
  /** Empty: no limit. */
  readonly maxCount: string;
  /** Media types with commas between; empty: all. */
  readonly types: string;
  readonly comment: string;
  readonly permissions: Permissions<FileAction>;
}

export const NEW_BUCKET: BucketChoice = {
  name: '',
  backend: '',
  isReadonly: false,
  maxSize: '10000000',
  maxCount: '',
  types: '',
  comment: '',
  permissions: RULES.owner.permissions,
};

/** What is defined, as the form has it. */
export function choiceOf(bucket: Bucket): BucketChoice {
  return {
    name: bucket.name,
    backend: bucket.backend ?? '',
    isReadonly: bucket.readonly,
    maxSize: bucket.max_size?.toString() ?? '',
    maxCount: bucket.max_count?.toString() ?? '',
    types: (bucket.types ?? []).join(', '),
    comment: bucket.comment ?? '',
    permissions: Object.fromEntries(FILE_ACTIONS.map((action) => [action, clauseText(clauseFor(action, bucket))])),
  };
}

/** Whether its limits are numbers, or none. */
export function hasLimits({ maxSize, maxCount }: BucketChoice): boolean {
  return [maxSize, maxCount].every((limit) => /^\d*$/.test(limit.trim()));
}

export function defineBucket(choice: BucketChoice): string {
  const { name, backend, isReadonly, maxSize, maxCount, comment } = choice;
  return joined(
    `DEFINE BUCKET ${identifier(name)}`,
    isReadonly && 'READONLY',
    backend.trim() !== '' && `BACKEND ${textLiteral(backend.trim())}`,
    maxSize.trim() !== '' && `MAXSIZE ${maxSize.trim()}`,
    maxCount.trim() !== '' && `MAXCOUNT ${maxCount.trim()}`,
    typesCode(choice) !== '' && `TYPES ${typesCode(choice)}`,
    permissions(choice.permissions),
    commented(comment),
  );
}

/** Where its bytes are stays. `undefined` where nothing differs. */
export function alterBucket(before: BucketChoice, after: BucketChoice): string | undefined {
  return altered(`ALTER BUCKET ${identifier(before.name)}`, [
    changedFlag('READONLY', before.isReadonly, after.isReadonly),
    changedClause('MAXSIZE', before.maxSize, after.maxSize),
    changedClause('MAXCOUNT', before.maxCount, after.maxCount),
    changedClause('TYPES', typesCode(before), typesCode(after)),
    permissions(before.permissions) !== permissions(after.permissions) && permissions(after.permissions),
    changedComment(before.comment, after.comment),
  ]);
}

function typesCode({ types }: BucketChoice): string {
  return listed(types).map(textLiteral).join(', ');
}
