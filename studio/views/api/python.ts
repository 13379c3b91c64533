/** Programs in Python with the official client, whose tasks are one program, one after the other. */
import { quoted, socketOf } from '../../base/code-text.js';
import { identifier } from '../../connection/surrealql.js';
import { isPossible, type Language, type Subject, TASK_NAMES } from './language.js';
import { BYTES, POINT, printed, type Sample, type SamplePrinter } from './samples.js';
import { type Assignment, columnsOf, setClause, valueOfVariable } from './table-use.js';

const PRINTER: SamplePrinter = {
  text: ({ text }) => quoted(text),
  choice: ({ text }) => quoted(text),
  number: ({ text }) => text,
  bool: ({ value }) => (value ? 'True' : 'False'),
  datetime: ({ text }) => `datetime.fromisoformat(${quoted(text.replace(/Z$/, '+00:00'))})`,
  decimal: ({ text }) => `Decimal(${quoted(text)})`,
  duration: ({ text }) => `Duration.parse(${quoted(text)})`,
  uuid: ({ text }) => `UUID(${quoted(text)})`,
  bytes: () => `bytes([${BYTES.join(', ')}])`,
  point: () => `GeometryPoint(${POINT.join(', ')})`,
  record: ({ table, key }) => `RecordID(${quoted(table)}, ${inPython(key)})`,
  list: ({ items }) => `[${items.map(inPython).join(', ')}]`,
  object: ({ members }) => dictionary(members.map(([name, value]) => [name, inPython(value)])),
};

function inPython(sample: Sample): string {
  return printed(PRINTER, sample);
}

/** Dictionaries that are longer have a line for each member. */
const WIDEST = 60;

function dictionary(members: readonly (readonly [name: string, code: string])[]): string {
  const parts = members.map(([name, code]) => `${quoted(name)}: ${code}`);
  const line = parts.join(', ');
  return line.length > WIDEST ? `{\n${parts.map((part) => `    ${part},\n`).join('')}}` : `{${line}}`;
}

/** Where the names are that programs use; the client is in each. */
const IMPORTS: readonly (readonly [use: string, line: string])[] = [
  ['datetime.', 'from datetime import datetime'],
  ['Decimal(', 'from decimal import Decimal'],
  ['UUID(', 'from uuid import UUID'],
  ['', 'from surrealdb import RecordID, Surreal'],
  ['Duration.', 'from surrealdb.data.types.duration import Duration'],
  ['GeometryPoint(', 'from surrealdb.data.types.geometry import GeometryPoint'],
];

const idOf = ({ use }: Subject) => inPython({ kind: 'record', table: use.table, key: use.key });

function bindings(subject: Subject, assignments: readonly Assignment[], ends: Subject['use']['ends']): string {
  const given = assignments.flatMap(({ variable, sample }): [string, string][] =>
    sample === undefined ? [] : [[variable, inPython(sample)]],
  );
  const between: [string, string][] =
    ends === undefined
      ? []
      : [
          ['from', inPython(ends.in)],
          ['to', inPython(ends.out)],
        ];
  return dictionary([['id', idOf(subject)], ...between, ...given]);
}

function signedIn({ place, caller }: Subject): string {
  const where = [
    ['namespace', quoted(place.namespace)],
    ['database', quoted(place.database)],
  ] as const;
  if (caller.kind === 'system') {
    return `db.signin(${dictionary([...where, ['username', quoted('NAME')], ['password', quoted('PASSWORD')]])})`;
  }
  if (caller.variables.length === 0) return 'db.authenticate("THE TOKEN OF THE USER")';
  const variables = dictionary(caller.variables.map((name) => [name, quoted(valueOfVariable(name))]));
  return `db.signin(${dictionary([...where, ['access', quoted(caller.access)], ['variables', variables]])})`;
}

const WRITE: Language['write'] = {
  signIn: (subject) => {
    const others = TASK_NAMES.filter((task) => task !== 'signIn' && isPossible(task, subject.use));
    const code = others.map((task) => WRITE[task](subject)).join('\n');
    const imports = IMPORTS.filter(([use]) => code.includes(use)).map(([, line]) => line);
    return `${imports.join('\n')}

db = Surreal(${quoted(socketOf(subject.place.server))})
${signedIn(subject)}`;
  },
  read: ({ use }) => `print(db.query(${quoted(`SELECT ${columnsOf(use)} FROM ${identifier(use.table)} LIMIT 20`)}))`,
  create: (subject) => {
    const { created, ends } = subject.use;
    const what = ends === undefined ? 'CREATE $id' : 'RELATE $from->$id->$to';
    return `db.query(${quoted(`${what}${setClause(created)}`)}, ${bindings(subject, created, ends)})`;
  },
  change: (subject) => {
    const { changed } = subject.use;
    return `db.query(${quoted(`UPDATE $id${setClause(changed)}`)}, ${bindings(subject, changed, undefined)})`;
  },
  remove: (subject) => `db.query("DELETE $id", {"id": ${idOf(subject)}})`,
  subscribe: ({ use }) => `for change in db.subscribe_live(db.live(${quoted(use.table)})):
    print(change)`,
};

export const PYTHON: Language = {
  title: 'Python',
  about: 'pip install surrealdb. The snippets are parts of one program.',
  write: WRITE,
};
