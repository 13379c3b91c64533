/** Pending changes, made in the page and not saved yet: kept per connection, undone one by one, saved together. */
import { type Signal, signal } from '@preact/signals';
import type { RecordId } from 'surrealdb';
import type { Connection, Variables } from '../../connection/connection.js';
import { identifier, literal } from '../../connection/surrealql.js';

export type Content = Readonly<Record<string, unknown>>;

export type Change =
  | { readonly kind: 'create'; readonly table: string; readonly isRelation: boolean; readonly content: Content }
  | { readonly kind: 'update'; readonly id: RecordId; readonly set: Content; readonly unset: readonly string[] }
  | { readonly kind: 'delete'; readonly id: RecordId };

const stores = new WeakMap<Connection, Signal<readonly Change[]>>();

/** The changes of a connection. They end with it, as when another database is chosen. */
export function pendingChanges(connection: Connection): Signal<readonly Change[]> {
  const store = stores.get(connection) ?? signal<readonly Change[]>([]);
  stores.set(connection, store);
  return store;
}

/** Adds a change. Of the same record, a later update is joined to the one before, and deleting it takes its place. */
export function withChange(changes: readonly Change[], change: Change): readonly Change[] {
  if (change.kind === 'create') return [...changes, change];
  const at = changes.findIndex((other) => other.kind !== 'create' && isSame(other.id, change.id));
  const earlier = changes[at];
  if (earlier === undefined) return [...changes, change];
  return changes.with(at, change.kind === 'update' && earlier.kind === 'update' ? joined(earlier, change) : change);
}

type Update = Extract<Change, { readonly kind: 'update' }>;

function joined(earlier: Update, later: Update): Update {
  const kept = Object.fromEntries(Object.entries(earlier.set).filter(([name]) => !later.unset.includes(name)));
  const unset = earlier.unset.filter((name) => !Object.hasOwn(later.set, name));
  return { ...later, set: { ...kept, ...later.set }, unset: [...new Set([...unset, ...later.unset])] };
}

/** The pending change of a record; `undefined` if there is none. */
export function changeOf(changes: readonly Change[], id: RecordId): Update | { readonly kind: 'delete' } | undefined {
  for (const change of changes) if (change.kind !== 'create' && isSame(change.id, id)) return change;
  return undefined;
}

/** A row as an update will leave it. */
export function withUpdate(row: Content, { set, unset }: Update): Content {
  return Object.fromEntries(Object.entries({ ...row, ...set }).filter(([name]) => !unset.includes(name)));
}

function isSame(left: RecordId, right: RecordId): boolean {
  return literal(left) === literal(right);
}

/** A change in words. */
export function describe(change: Change): string {
  if (change.kind === 'create') return `New row in ${change.table}`;
  if (change.kind === 'delete') return `Delete ${change.id.toString()}`;
  return `Change ${[...Object.keys(change.set), ...change.unset].join(', ')} of ${change.id.toString()}`;
}

/** Saves all of them, or none; what permissions deny is an error here. @throws Error with what the server refuses */
export async function saveChanges(connection: Connection, changes: readonly Change[]): Promise<void> {
  const variables: Record<string, unknown> = {};
  const bind = (value: unknown) => {
    const name = `studio_${Object.keys(variables).length}`;
    variables[name] = value;
    return `$${name}`;
  };
  const statements = changes.map((change) => statementOf(change, bind));
  const results = await connection.run(
    `OPTION STRICT_PERMISSIONS;\nBEGIN;\n${statements.map((text) => `${text};\n`).join('')}COMMIT;`,
    variables as Variables,
  );
  const failed = results.flatMap((result) => (result.ok ? [] : [result.error]));
  // Of a transaction that fails, the other statements say only that they didn't run.
  const reason = failed.find(({ message }) => !/not executed|failed transaction/i.test(message)) ?? failed[0];
  if (reason !== undefined) throw reason;
}

function statementOf(change: Change, bind: (value: unknown) => string): string {
  if (change.kind === 'delete') return `DELETE ${bind(change.id)} RETURN NONE`;
  if (change.kind === 'create') {
    const target = identifier(change.table);
    const content = bind(change.content);
    return change.isRelation
      ? `INSERT RELATION INTO ${target} ${content} RETURN NONE`
      : `CREATE ${target} CONTENT ${content} RETURN NONE`;
  }
  const set = Object.entries(change.set).map(([name, value]) => `${identifier(name)} = ${bind(value)}`);
  const parts = [
    ...(set.length > 0 ? [`SET ${set.join(', ')}`] : []),
    ...(change.unset.length > 0 ? [`UNSET ${change.unset.map(identifier).join(', ')}`] : []),
  ];
  return parts.map((part) => `UPDATE ${bind(change.id)} ${part} RETURN NONE`).join(';\n');
}
