/**
 * Rules of buckets against the plainest account of them: what a record user gets of files is what they get where those that are hidden
 * from all that the user may do were never put.
 */
import fc from 'fast-check';
import { expect } from 'vitest';
import { FILE_ACTIONS, type FileAction } from '../../../src/language/ast.js';
import type { Session } from '../../../src/session/contract.js';
import { objectFrom } from '../../../src/value/value.js';
import { answers, RECORD_ACCESS, run, type World } from '../../support/world.js';
import { MY_LEVEL } from './model.js';

type Owner = 'me' | 'other' | 'none';
interface StoredFile {
  readonly owner: Owner;
  readonly text: string;
}
/** By keys. */
type Files = Readonly<Partial<Record<string, StoredFile>>>;

/** Rules of which none holds of a file that doesn't exist, but for FULL: that is what hides which files there are. */
interface FileRule {
  readonly text: string;
  holds(file: StoredFile, action: FileAction): boolean;
}

const RULES: readonly FileRule[] = [
  { text: 'NONE', holds: () => false },
  { text: 'FULL', holds: () => true },
  { text: 'WHERE owner = $auth.id', holds: ({ owner }) => owner === 'me' },
  { text: 'WHERE owner.level = $auth.level', holds: ({ owner }) => owner === 'me' },
  { text: 'WHERE size > 2', holds: ({ text }) => text.length > 2 },
  { text: 'WHERE owner = $auth.id OR size > 3', holds: ({ owner, text }) => owner === 'me' || text.length > 3 },
  { text: 'WHERE $value.size = 2 AND $auth.level = 2', holds: ({ text }) => text.length === 2 },
  {
    text: "WHERE owner = $auth.id AND $action = 'get'",
    holds: ({ owner }, action) => owner === 'me' && action === 'get',
  },
  { text: "WHERE size AND $file.bucket() = 'b' AND size < 3", holds: ({ text }) => text.length > 0 && text.length < 3 },
  { text: 'WHERE { THROW [owner, size] }', holds: () => false },
];
type Rules = Readonly<Record<FileAction, FileRule>>;

const KEYS = ['/a', '/a/b', '/b', '/c/d', '/c/e', '/d'];
const NEW = ['/new', '/a/new'];

export const fileRules: fc.Arbitrary<Rules> = fc.oneof(
  fc.record(Object.fromEntries(FILE_ACTIONS.map((action) => [action, fc.constantFrom(...RULES)]))),
  fc.constantFrom(...RULES).map((rule) => Object.fromEntries(FILE_ACTIONS.map((action) => [action, rule]))),
) as fc.Arbitrary<Rules>;

export const storedFiles: fc.Arbitrary<Files> = fc.record(
  Object.fromEntries(
    KEYS.map((key) => [
      key,
      fc.record({
        owner: fc.constantFrom<Owner>('me', 'other', 'none'),
        text: fc.constantFrom('', 'a', 'bb', 'ccc', 'dddd'),
      }),
    ]),
  ),
  { requiredKeys: [] },
);

/** A statement, and the key that it puts a file at, if it does. */
interface FileStatement {
  readonly text: string;
  readonly puts?: string;
}

const key = fc.constantFrom(...KEYS, '/none');
const target = fc.constantFrom(...KEYS, ...NEW);
const file = (name: string) => `f"b:${name}"`;
const reading = fc
  .oneof(
    key.map((k) => `<string> ${file(k)}.get()`),
    key.map((k) => `${file(k)}.head().{ file, size, type, owner, digest }`),
    key.map((k) => `${file(k)}.exists()`),
    fc.tuple(key, key).map(([k, l]) => `[${file(k)}.exists(), ${file(l)}.get(), ${file(k)}.head().size]`),
    fc
      .tuple(key, fc.constantFrom(...FILE_ACTIONS.filter((action) => action !== 'put')))
      .map(([k, action]) => `file::may(${file(k)}, '${action}')`),
    fc.tuple(key, target).map(([k, t]) => `file::may(${file(k)}, 'copy', ${file(t)})`),
    key.map((k) => `string::len(${file(k)}.url()) > 0`),
    key.map((k) => `${file(k)}<~doc`),
    fc
      .tuple(fc.constantFrom('', ', limit: 2', ', limit: 1'), fc.constantFrom('', ", start: '/a'", ", start: '/b'"))
      .chain(([limit, start]) =>
        fc
          .constantFrom('/', '/a', '/c/', '/z')
          .map(
            (prefix) =>
              `file::list('b', { prefix: '${prefix}'${limit}${start} }).map(|$f| [$f.file, $f.size, $f.owner])`,
          ),
      ),
    fc.constantFrom(
      "file::list('b').len()",
      "math::sum(file::list('b').size)",
      '(INFO FOR BUCKETS)',
      "file::list('none')",
      '(SELECT id, f.exists() AS there FROM doc WHERE f.head().size > 1 OR id = doc:1 ORDER BY id)',
    ),
  )
  .map((text): FileStatement => ({ text: `RETURN ${text}` }));
const writing = fc.oneof(
  key.map((k): FileStatement => ({ text: `${file(k)}.delete()` })),
  key.map((k): FileStatement => ({ text: `${file(k)}.delete({ expected: 'another' })` })),
  fc
    .tuple(fc.constantFrom('copy', 'copy_if_not_exists', 'rename', 'rename_if_not_exists'), key, target)
    .map(([how, k, t]): FileStatement => ({ text: `${file(k)}.${how}('${t}')`, puts: t })),
  fc
    .tuple(target, fc.constantFrom("file::may($, 'put')", "string::len(file::url($, { method: 'PUT' })) > 0"))
    .map(([t, call]): FileStatement => ({ text: `RETURN ${call.replace('$', file(t))}`, puts: t })),
  fc
    .tuple(fc.constantFrom('put', 'put_if_not_exists'), target, fc.constantFrom("''", "'xx'", "'xxxx'"))
    .map(([how, t, text]): FileStatement => ({ text: `${file(t)}.${how}(${text})`, puts: t })),
);
export const fileStatements: fc.Arbitrary<FileStatement> = fc.oneof(
  { weight: 4, arbitrary: reading },
  { weight: 1, arbitrary: writing },
);

/** A database of its own, with the users whom the rules are about. */
export class FileSite {
  readonly #owner: Session;
  readonly #users: ReadonlyMap<Owner, Session>;

  private constructor(owner: Session, users: ReadonlyMap<Owner, Session>) {
    this.#owner = owner;
    this.#users = users;
  }

  static async open(world: World, database: string): Promise<FileSite> {
    const owner = world.database.ownerSession();
    await owner.use('test', database);
    await run(owner, `${RECORD_ACCESS} DEFINE TABLE doc PERMISSIONS FULL`);
    const users = new Map<Owner, Session>([['none', owner]]);
    for (const [name, level] of [
      ['me', MY_LEVEL],
      ['other', MY_LEVEL + 1],
    ] as const) {
      const session = world.guest();
      await session.signUp(objectFrom({ NS: 'test', DB: database, AC: 'people', name }));
      await run(owner, `UPDATE user:${name} SET level = ${level}`);
      users.set(name, session);
    }
    await run(owner, 'DEFINE FIELD f ON doc TYPE option<file<b>> REFERENCE ON DELETE UNSET');
    return new FileSite(owner, users);
  }

  get me(): Session {
    return this.#users.get('me') as Session;
  }

  async prepare(rules: Rules, files: Files): Promise<void> {
    await run(this.#owner, 'REMOVE BUCKET IF EXISTS b; DEFINE BUCKET b PERMISSIONS FULL; DELETE doc');
    for (const [name, stored] of Object.entries(files))
      if (stored !== undefined)
        await run(this.#users.get(stored.owner) as Session, `${file(name)}.put('${stored.text}')`);
    // The records are there either way: it is their files that may be hidden.
    await run(this.#owner, KEYS.map((each, at) => `CREATE doc:${at} SET f = ${file(each)}`).join(';'));
    await run(this.#owner, `ALTER BUCKET b PERMISSIONS ${clausesOf(rules)}`);
  }
}

function clausesOf(rules: Rules): string {
  return FILE_ACTIONS.map((action) => `FOR ${action} ${rules[action].text}`).join(', ');
}

/** The keys of files with which the user may do nothing at all, as far as rules say something of them. */
function hiddenOf(rules: Rules, files: Files): ReadonlySet<string> {
  const keys = Object.entries(files).flatMap(([name, stored]) => {
    const isSeen = stored === undefined || FILE_ACTIONS.some((action) => rules[action].holds(stored, action));
    return isSeen ? [] : [name];
  });
  return new Set(keys);
}

/** Returns how many answers were compared. Where a hidden file is, a put fails: that there is something isn't hidden from it. */
export async function compareAnswers(
  [one, other]: readonly [FileSite, FileSite],
  rules: Rules,
  files: Files,
  asked: readonly FileStatement[],
): Promise<number> {
  const hidden = hiddenOf(rules, files);
  const seen = Object.fromEntries(Object.entries(files).filter(([name]) => !hidden.has(name)));
  await one.prepare(rules, files);
  await other.prepare(rules, seen);
  let compared = 0;
  for (const { text, puts } of asked) {
    if (puts !== undefined && hidden.has(puts)) continue;
    const [told, expected] = [await answers(one.me, text), await answers(other.me, text)];
    const about = told === expected ? text : [text, clausesOf(rules), JSON.stringify(files)];
    expect([about, told]).toEqual([about, expected]);
    compared++;
  }
  return compared;
}
