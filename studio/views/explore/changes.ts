/** Changes of rows, and the statements that make them. */
import { identifier, textLiteral } from '../../connection/surrealql.js';
import type { Content } from './typed-values.js';

/** Which record is meant. */
export interface RecordName {
  readonly table: string;
  /** The id as the server gives its code. */
  readonly code: string;
}

export interface Creation {
  readonly kind: 'create';
  readonly table: string;
  readonly isRelation: boolean;
  readonly content: Content;
}

export interface Update {
  readonly kind: 'update';
  readonly record: RecordName;
  readonly set: Content;
  readonly unset: readonly string[];
}

interface Deletion {
  readonly kind: 'delete';
  readonly record: RecordName;
}

export type Change = Creation | Update | Deletion;

/** Adds a change. Of the same record, a later update is joined to the one before, and deleting it takes its place. */
export function withChange(changes: readonly Change[], change: Change): readonly Change[] {
  if (change.kind === 'create') return [...changes, change];
  const at = changes.findIndex((other) => other.kind !== 'create' && isSame(other.record, change.record));
  const earlier = changes[at];
  if (earlier === undefined) return [...changes, change];
  return changes.with(at, change.kind === 'update' && earlier.kind === 'update' ? joined(earlier, change) : change);
}

function joined(earlier: Update, later: Update): Update {
  const kept = Object.fromEntries(Object.entries(earlier.set).filter(([name]) => !later.unset.includes(name)));
  const unset = earlier.unset.filter((name) => !Object.hasOwn(later.set, name));
  return { ...later, set: { ...kept, ...later.set }, unset: [...new Set([...unset, ...later.unset])] };
}

/** The pending change of a record; `undefined` if there is none. */
export function changeOf(changes: readonly Change[], record: RecordName): Update | Deletion | undefined {
  for (const change of changes) if (change.kind !== 'create' && isSame(change.record, record)) return change;
  return undefined;
}

/** A row as an update will leave it. */
export function withUpdate(row: Content, { set, unset }: Update): Content {
  return Object.fromEntries(Object.entries({ ...row, ...set }).filter(([name]) => !unset.includes(name)));
}

function isSame(left: RecordName, right: RecordName): boolean {
  return left.code === right.code;
}

/** A change in words. */
export function describe(change: Change): string {
  if (change.kind === 'create') return `New row in ${change.table}`;
  if (change.kind === 'delete') return `Delete ${change.record.code}`;
  return `Change ${[...Object.keys(change.set), ...change.unset].join(', ')} of ${change.record.code}`;
}

/** What a change does, in SurrealQL. */
export function statementsOf(change: Change): readonly string[] {
  if (change.kind === 'delete') return [`DELETE ${change.record.code} RETURN NONE`];
  if (change.kind === 'create') {
    const target = identifier(change.table);
    const members = Object.entries(change.content).map(([name, { code }]) => `${textLiteral(name)}: ${code}`);
    const content = members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
    return [
      change.isRelation
        ? `INSERT RELATION INTO ${target} ${content} RETURN NONE`
        : `CREATE ${target} CONTENT ${content} RETURN NONE`,
    ];
  }
  const set = Object.entries(change.set).map(([name, { code }]) => `${identifier(name)} = ${code}`);
  const parts = [
    ...(set.length > 0 ? [`SET ${set.join(', ')}`] : []),
    ...(change.unset.length > 0 ? [`UNSET ${change.unset.map(identifier).join(', ')}`] : []),
  ];
  return parts.map((part) => `UPDATE ${change.record.code} ${part} RETURN NONE`);
}
