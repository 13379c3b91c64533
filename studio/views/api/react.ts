/** Components in React, over a collection that follows the table (tesseradb/tanstack-db). */

import { identifier } from '../../connection/surrealql.js';
import { classesIn, connected, inJavaScript, objectOf, string } from './javascript.js';
import { isPossible, type Language, type Subject, TASK_NAMES } from './language.js';
import { columnsOf } from './table-use.js';

function memberOf(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `[${string(name)}]`;
}

/** The key of the example's row, as collections have it: the id as text. */
function keyOf({ use }: Subject): string {
  const key = use.key.kind === 'number' || use.key.kind === 'text' ? use.key.text : '';
  return use.key.kind === 'uuid'
    ? `String(${inJavaScript({ kind: 'record', table: use.table, key: use.key })})`
    : string(`${identifier(use.table)}:${key}`);
}

const WRITE: Language['write'] = {
  signIn: (subject) => {
    const others = TASK_NAMES.filter((task) => task !== 'signIn' && isPossible(task, subject.use));
    const classes = classesIn(others.map((task) => WRITE[task](subject)).join('\n'));
    return `import { createCollection } from '@tanstack/db';
import { useLiveQuery } from '@tanstack/react-db';
import { ${classes.join(', ')} } from 'surrealdb';
import { liveCollection } from 'tesseradb/tanstack-db';

${connected('client', subject)}`;
  },
  read: ({ use }) => {
    const shown = use.read[0]?.field ?? 'id';
    return `const rows = createCollection(
  liveCollection({ client, query: ${string(`SELECT ${columnsOf(use)} FROM ${identifier(use.table)}`)} }),
);

export function Rows() {
  const { data } = useLiveQuery((query) => query.from({ row: rows }));
  return (
    <ul>
      {data.map((row) => (
        <li key={String(row.id)}>{String(row${memberOf(shown)})}</li>
      ))}
    </ul>
  );
}`;
  },
  create: ({ use }) => {
    const isOwn = use.created.some(({ sample }) => sample === undefined);
    const between =
      use.ends === undefined ? [] : (['in', 'out'] as const).map((end) => [end, use.ends?.[end]] as const);
    const members = objectOf([
      ['id', inJavaScript({ kind: 'record', table: use.table, key: use.key })],
      ...between.flatMap(([end, sample]): [string, string][] => (sample ? [[end, inJavaScript(sample)]] : [])),
      ...use.created.map(({ field, sample }): [string, string] => [field, sample ? inJavaScript(sample) : 'me']),
    ]);
    return `${isOwn ? 'const { id: me } = await client.auth();\n' : ''}rows.insert(${members});`;
  },
  change: (subject) => {
    const [changed] = subject.use.changed;
    if (changed?.sample === undefined) return '';
    return `rows.update(${keyOf(subject)}, (draft) => {
  draft${memberOf(changed.field)} = ${inJavaScript(changed.sample)};
});`;
  },
  remove: (subject) => `rows.delete(${keyOf(subject)});`,
  subscribe: () => '',
};

export const REACT: Language = {
  title: 'React',
  about:
    'npm install tesseradb surrealdb @tanstack/db @tanstack/react-db. The list follows all changes by itself; what the rules refuse is rolled back.',
  write: WRITE,
};
