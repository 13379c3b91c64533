/** What users may do with files, compared with a model that is as plain as the guide. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FILE_ACTIONS, type FileAction } from '../../src/language/ast.js';
import type { Session } from '../../src/session/contract.js';
import { FileReference } from '../../src/value/value.js';
import { World } from '../support/world.js';

/** Rules as text, and as what they say of a file that is or isn't there. */
interface Rule {
  readonly text: string;
  holds(user: string, file: ModelFile | undefined, key: string): boolean;
}
interface ModelFile {
  readonly owner: string | undefined;
  readonly text: string;
}

const RULES: readonly Rule[] = [
  { text: 'NONE', holds: () => false },
  { text: 'FULL', holds: () => true },
  { text: 'WHERE owner = $auth.id', holds: (user, file) => file?.owner === user },
  // NONE is less than every number.
  { text: 'WHERE size < 3', holds: (_, file) => file === undefined || file.text.length < 3 },
  { text: "WHERE $file.key() = '/' + $auth.name", holds: (user, _, key) => key === `/${user}` },
  { text: 'WHERE owner = NONE OR owner = $auth.id', holds: (user, file) => [undefined, user].includes(file?.owner) },
  { text: 'WHERE THROW "x"', holds: () => false },
];
const USERS = ['ann', 'bob'];
const KEYS = ['/ann', '/bob', '/other'];

type Step = readonly [user: string, action: FileAction, key: string, target: string, text: string];

const rules = fc.record(Object.fromEntries(FILE_ACTIONS.map((action) => [action, fc.constantFrom(...RULES)])));
const step = fc.tuple(
  fc.constantFrom('root', ...USERS),
  fc.constantFrom(...FILE_ACTIONS),
  fc.constantFrom(...KEYS),
  fc.constantFrom(...KEYS),
  fc.constantFrom('a', 'bb', 'cccc'),
);

class Model {
  readonly files = new Map<string, ModelFile>();

  constructor(readonly rules: Readonly<Record<string, Rule>>) {}

  may(user: string, action: FileAction, key: string, file: ModelFile | undefined): boolean {
    return user === 'root' || (this.rules[action] as Rule).holds(user, file, key);
  }

  mayPut(user: string, key: string, file: ModelFile): boolean {
    const before = this.files.get(key);
    return this.may(user, 'put', key, file) && (before === undefined || this.may(user, 'put', key, before));
  }

  /** The answer as JSON, or the code of the error. */
  answer([user, action, key, target, text]: Step): string {
    const file = this.files.get(key);
    const owner = user === 'root' ? undefined : user;
    switch (action) {
      case 'put':
        if (!this.mayPut(user, key, { owner, text })) return 'file_denied';
        this.files.set(key, { owner, text });
        return 'NONE';
      case 'get':
      case 'head':
        if (!this.may(user, action, key, file)) return 'file_denied';
        return file === undefined ? 'NONE' : action === 'get' ? file.text : String(file.text.length);
      case 'list':
        if (user !== 'root' && this.rules['list']?.text === 'NONE') return 'file_denied';
        return [...this.files]
          .filter(([each, found]) => this.may(user, 'list', each, found))
          .map(([each]) => each)
          .toSorted()
          .join();
      case 'delete':
        if (!this.may(user, 'delete', key, file)) return 'file_denied';
        this.files.delete(key);
        return 'NONE';
      default: {
        const reads = action === 'rename' || this.may(user, 'get', key, file);
        if (!this.may(user, action, key, file) || !reads) return 'file_denied';
        if (file === undefined) return 'file_source_missing';
        const moved = { text: file.text, owner: action === 'copy' ? owner : file.owner };
        if (!this.mayPut(user, target, moved)) return 'file_denied';
        if (action === 'rename') this.files.delete(key);
        this.files.set(target, moved);
        return 'NONE';
      }
    }
  }
}

const STATEMENTS: Readonly<Record<FileAction, string>> = {
  put: 'file::put($file, $text)',
  get: '<string> file::get($file)',
  head: '<string> file::head($file).size',
  list: "array::join(file::list('b').map(|$f| $f.file.key()), ',')",
  delete: 'file::delete($file)',
  copy: 'file::copy($file, $target)',
  rename: 'file::rename($file, $target)',
};

async function answerOf(session: Session, [, action, key, target, text]: Step): Promise<string> {
  const file = new FileReference('b', key);
  const [result] = await session.query(`RETURN ${STATEMENTS[action]}`, { file, target, text } as never);
  if (result?.outcome.ok !== true) return String(result?.outcome.error.code);
  return result.outcome.value === undefined ? 'NONE' : String(result.outcome.value);
}

it('are the rules', async () => {
  const world = await World.open();
  const sessions: Record<string, Session> = { root: world.owner };
  for (const user of USERS) sessions[user] = await world.person(user);
  await fc.assert(
    fc.asyncProperty(rules, fc.array(step, { minLength: 1, maxLength: 25 }), async (drawn, steps) => {
      const clauses = FILE_ACTIONS.map((action) => `FOR ${action} ${drawn[action]?.text}`).join(', ');
      await world.owner.query(`REMOVE BUCKET IF EXISTS b; DEFINE BUCKET b PERMISSIONS ${clauses}`);
      const model = new Model(drawn as Readonly<Record<string, Rule>>);
      for (const each of steps) {
        const expected = model.answer(each);
        expect(await answerOf(sessions[each[0]] as Session, each), `${clauses}: ${each}`).toBe(expected);
      }
    }),
    { numRuns: Number(process.env['FILE_RULES'] ?? 60) },
  );
  await world.database.close();
});
