/** Requests over HTTP, as commands of a shell. */
import { quoted, shellQuoted } from '../../base/code-text.js';
import { identifier } from '../../connection/surrealql.js';
import { GRAPHQL } from './graphql.js';
import type { Language, Subject } from './language.js';
import { BYTES, POINT, printed, type Sample, type SamplePrinter } from './samples.js';
import { type Assignment, columnsOf, setClause, valueOfVariable } from './table-use.js';

const PRINTER: SamplePrinter = {
  text: ({ text }) => quoted(text),
  choice: ({ text }) => quoted(text),
  number: ({ text }) => text,
  bool: ({ value }) => String(value),
  datetime: ({ text }) => `d${quoted(text)}`,
  decimal: ({ text }) => `${text}dec`,
  duration: ({ text }) => text,
  uuid: ({ text }) => `u${quoted(text)}`,
  bytes: () => `b"${BYTES.map((byte) => byte.toString(16).padStart(2, '0')).join('')}"`,
  point: () => `(${POINT.join(', ')})`,
  record: ({ table, key }) => `${identifier(table)}:${key.kind === 'text' ? identifier(key.text) : inSurrealql(key)}`,
  list: ({ items }) => `[${items.map(inSurrealql).join(', ')}]`,
  object: ({ members }) => `{ ${members.map(([name, value]) => `${quoted(name)}: ${inSurrealql(value)}`).join(', ')} }`,
};

function inSurrealql(sample: Sample): string {
  return printed(PRINTER, sample);
}

/** The clause with values instead of variables. */
function setValues(assignments: readonly Assignment[]): string {
  return setClause(assignments, ({ variable, expression, sample }) =>
    sample === undefined ? expression : expression.replace(`$${variable}`, () => inSurrealql(sample)),
  );
}

const AUTHORIZATION = `-H "Authorization: Bearer $TOKEN"`;

function statement({ place }: Subject, text: string): string {
  return `curl -s ${shellQuoted(`${place.server}/sql`)} -H 'Accept: application/json' \\
  ${AUTHORIZATION} \\
  -d ${shellQuoted(text)}`;
}

const idOf = ({ use }: Subject) => inSurrealql({ kind: 'record', table: use.table, key: use.key });

export const CURL: Language = {
  title: 'curl',
  about: 'Any client of HTTP does the same. Subscribing is by GraphQL, which has to be switched on.',
  write: {
    signIn: ({ place, caller }) => {
      const { server, namespace: NS, database: DB } = place;
      if (caller.kind === 'record' && caller.variables.length === 0) return "TOKEN='THE TOKEN OF THE USER'";
      const body =
        caller.kind === 'system'
          ? { NS, DB, user: 'NAME', pass: 'PASSWORD' }
          : {
              ...{ NS, DB, AC: caller.access },
              ...Object.fromEntries(caller.variables.map((name) => [name, valueOfVariable(name)])),
            };
      const key = caller.kind === 'record' && caller.hasRefresh ? 'access' : 'token';
      return `TOKEN=$(curl -s ${shellQuoted(`${server}/signin`)} -H 'Accept: application/json' \\
  -d ${shellQuoted(JSON.stringify(body))} |
  sed -E 's/.*"${key}":"([^"]+)".*/\\1/')`;
    },
    read: (subject) =>
      statement(subject, `SELECT ${columnsOf(subject.use)} FROM ${identifier(subject.use.table)} LIMIT 20`),
    create: (subject) => {
      const { created, ends } = subject.use;
      const id = idOf(subject);
      const what =
        ends === undefined ? `CREATE ${id}` : `RELATE ${inSurrealql(ends.in)}->${id}->${inSurrealql(ends.out)}`;
      return statement(subject, `${what}${setValues(created)}`);
    },
    change: (subject) => statement(subject, `UPDATE ${idOf(subject)}${setValues(subject.use.changed)}`),
    remove: (subject) => statement(subject, `DELETE ${idOf(subject)}`),
    subscribe: (subject) => {
      const query = GRAPHQL.write.subscribe(subject);
      return `curl -sN ${shellQuoted(`${subject.place.server}/graphql`)} -H 'Accept: text/event-stream' \\
  -H 'Content-Type: application/json' ${AUTHORIZATION} \\
  -d ${shellQuoted(JSON.stringify({ query }))}`;
    },
  },
};
