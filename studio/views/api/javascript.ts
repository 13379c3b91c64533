/** Programs in JavaScript with the official client, whose tasks are one module, one after the other. */
import { quoted, socketOf } from '../../base/code-text.js';
import { identifier } from '../../connection/surrealql.js';
import { isPossible, type Language, type Subject, TASK_NAMES } from './language.js';
import { BYTES, POINT, printed, type Sample, type SamplePrinter } from './samples.js';
import { type Assignment, columnsOf, setClause, valueOfVariable } from './table-use.js';

const PRINTER: SamplePrinter = {
  text: ({ text }) => string(text),
  choice: ({ text }) => string(text),
  number: ({ text }) => text,
  bool: ({ value }) => String(value),
  datetime: ({ text }) => `new DateTime(${string(text)})`,
  decimal: ({ text }) => `new Decimal(${string(text)})`,
  duration: ({ text }) => `new Duration(${string(text)})`,
  uuid: ({ text }) => `new Uuid(${string(text)})`,
  bytes: () => `new Uint8Array([${BYTES.join(', ')}])`,
  point: () => `new GeometryPoint([${POINT.join(', ')}])`,
  record: ({ table, key }) => `new RecordId(${string(table)}, ${inJavaScript(key)})`,
  list: ({ items }) => `[${items.map(inJavaScript).join(', ')}]`,
  object: ({ members }) => objectOf(members.map(([name, value]) => [name, inJavaScript(value)])),
};

export function inJavaScript(sample: Sample): string {
  return printed(PRINTER, sample);
}

/** In single quotes, where it needs no escapes. */
export function string(text: string): string {
  return /^[^'\\\p{C}]*$/u.test(text) ? `'${text}'` : quoted(text);
}

/** Objects that are longer have a line for each member. */
const WIDEST = 60;

export function objectOf(members: readonly (readonly [name: string, code: string])[]): string {
  const parts = members.map(([name, code]) => {
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : string(name);
    return key === code ? key : `${key}: ${code}`;
  });
  const line = parts.join(', ');
  if (line.length > WIDEST) return `{\n${parts.map((part) => `  ${part.replaceAll('\n', '\n  ')},\n`).join('')}}`;
  return parts.length === 0 ? '{}' : `{ ${line} }`;
}

/** Classes of the client, of which programs import those that they use. */
const CLASSES = ['DateTime', 'Decimal', 'Duration', 'GeometryPoint', 'RecordId', 'Table', 'Uuid'];

export function classesIn(code: string): readonly string[] {
  return [...CLASSES.filter((name) => code.includes(`new ${name}(`)), 'Surreal'].sort();
}

/** Connects `name` and signs it in. */
export function connected(name: string, { place, caller }: Pick<Subject, 'place' | 'caller'>): string {
  const { server, namespace, database } = place;
  const where = [
    ['namespace', string(namespace)],
    ['database', string(database)],
  ] as const;
  const connect = `const ${name} = new Surreal();\nawait ${name}.connect(${string(`${socketOf(server)}/rpc`)});`;
  if (caller.kind === 'system') {
    const user = [...where, ['username', string('NAME')], ['password', string('PASSWORD')]] as const;
    return `${connect}\nawait ${name}.signin(${objectOf(user)});`;
  }
  if (caller.variables.length === 0) {
    return `${connect}\nawait ${name}.use(${objectOf(where)});\nawait ${name}.authenticate('THE TOKEN OF THE USER');`;
  }
  const variables = objectOf(caller.variables.map((one) => [one, string(valueOfVariable(one))]));
  return `${connect}
await ${name}.signin({
  namespace: ${string(namespace)},
  database: ${string(database)},
  access: ${string(caller.access)},
  variables: ${variables},
});`;
}

const idOf = ({ use }: Subject) => inJavaScript({ kind: 'record', table: use.table, key: use.key });

/** The variables of a statement, with `$id` and what is assigned. */
function bindings(subject: Subject, assignments: readonly Assignment[], ends: Subject['use']['ends']): string {
  const given = assignments.flatMap(({ variable, sample }): [string, string][] =>
    sample === undefined ? [] : [[variable, inJavaScript(sample)]],
  );
  const between: [string, string][] =
    ends === undefined
      ? []
      : [
          ['from', inJavaScript(ends.in)],
          ['to', inJavaScript(ends.out)],
        ];
  return objectOf([['id', idOf(subject)], ...between, ...given]);
}

const WRITE: Language['write'] = {
  signIn: (subject) => {
    const others = TASK_NAMES.filter((task) => task !== 'signIn' && isPossible(task, subject.use));
    const code = others.map((task) => WRITE[task](subject)).join('\n');
    return `import { ${classesIn(code).join(', ')} } from 'surrealdb';\n\n${connected('db', subject)}`;
  },
  read: ({ use }) =>
    `const [rows] = await db.query(${string(`SELECT ${columnsOf(use)} FROM ${identifier(use.table)} LIMIT 20`)});
console.log(rows);`,
  create: (subject) => {
    const { created, ends } = subject.use;
    const what = ends === undefined ? 'CREATE $id' : 'RELATE $from->$id->$to';
    return `const [created] = await db.query(${string(`${what}${setClause(created)}`)}, ${bindings(subject, created, ends)});
console.log(created);`;
  },
  change: (subject) => {
    const { changed } = subject.use;
    return `await db.query(${string(`UPDATE $id${setClause(changed)}`)}, ${bindings(subject, changed, undefined)});`;
  },
  remove: (subject) => `await db.query('DELETE $id', { id: ${idOf(subject)} });`,
  subscribe: ({ use }) => `const live = await db.live(new Table(${string(use.table)}));
live.subscribe(({ action, recordId, value }) => console.log(action, String(recordId), value));`,
};

export const JAVASCRIPT: Language = {
  title: 'JavaScript',
  about: 'npm install surrealdb. The snippets are parts of one module.',
  write: WRITE,
};
