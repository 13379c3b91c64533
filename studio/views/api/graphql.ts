/** Requests in GraphQL: documents for `POST /graphql`. */
import { quoted } from '../../base/code-text.js';
import { alternativesOf, choicesOf, linkedTables } from '../../connection/kinds.js';
import type { Language, Subject } from './language.js';
import { BYTES, POINT, printed, type Sample, type SamplePrinter } from './samples.js';
import { type Output, type TableUse, valueOfVariable } from './table-use.js';

const PRINTER: SamplePrinter = {
  text: ({ text }) => quoted(text),
  // An enum, whose values are names.
  choice: ({ text }) => legalName(text),
  number: ({ text }) => text,
  bool: ({ value }) => String(value),
  datetime: ({ text }) => quoted(text),
  decimal: ({ text }) => quoted(text),
  duration: ({ text }) => quoted(text),
  uuid: ({ text }) => quoted(text),
  bytes: () => quoted(btoa(String.fromCharCode(...BYTES))),
  point: () => `{type: "Point", coordinates: [${POINT.join(', ')}]}`,
  record: ({ table, key }) => quoted(`${table}:${key.kind === 'text' || key.kind === 'number' ? key.text : ''}`),
  list: ({ items }) => `[${items.map(inGraphql).join(', ')}]`,
  object: ({ members }) => objectOf(members.map(([name, value]) => [name, inGraphql(value)])),
};

function inGraphql(sample: Sample): string {
  return printed(PRINTER, sample);
}

function objectOf(members: readonly (readonly [name: string, code: string])[]): string {
  return `{${members.map(([name, code]) => `${legalName(name)}: ${code}`).join(', ')}}`;
}

/** What GraphQL calls it: signs that it doesn't know become `_`. */
function legalName(name: string): string {
  return name.replace(/[^A-Za-z0-9_]/g, '_');
}

const typeOf = ({ alias }: TableUse) => legalName(alias);

/** `Person`, of mutations of `person`. */
function capitalOf(use: TableUse): string {
  const type = typeOf(use);
  return type.charAt(0).toUpperCase() + type.slice(1);
}

/** A field with what is selected of its value. */
function selected({ field, kind, members }: Output): string {
  const name = legalName(field);
  const alternatives = alternativesOf(kind).map((one) => /^(?:array|set)<(.*?)(?:,\s*\d+)?>$/s.exec(one)?.[1] ?? one);
  const tables = alternatives.flatMap(linkedTables);
  const isLink = alternatives.every((one) => /^record\b/.test(one)) && choicesOf(kind).length === 0;
  if (isLink && alternatives.length > 0) return `${name} { ${tables.length > 1 ? '... on Node { id }' : 'id'} }`;
  if (members.length > 0) return `${name} { ${members.map(selected).join(' ')} }`;
  return alternatives.length > 0 && alternatives.every((one) => /^geometry<point>$/.test(one))
    ? `${name} { type coordinates }`
    : name;
}

/** Shapes that are unions, or whose parts aren't known. */
function isSimple({ kind, members }: Output): boolean {
  const lists = alternativesOf(kind).some((one) => /^(array|set)\b/.test(one));
  return !(lists && members.length > 0) && !/geometry(?!<point>)/.test(kind);
}

function selection({ read }: TableUse): string {
  return `{ ${['id', ...read.filter(isSimple).map(selected)].join(' ')} }`;
}

const keyOf = ({ use }: Subject) => inGraphql(use.key);

function dataOf({ use, caller }: Subject, assignments: TableUse['created']): string {
  const members = assignments.map(({ field, sample }): [string, string] => {
    const me = caller.kind === 'record' ? quoted(`${caller.table}:YOUR_ID`) : '';
    return [field, sample === undefined ? me : inGraphql(sample)];
  });
  return objectOf(assignments === use.created ? [['id', inGraphql(use.key)], ...members] : members);
}

export const GRAPHQL: Language = {
  title: 'GraphQL',
  about:
    'For POST /graphql, with the headers svc-ns and svc-db to sign in, and then Authorization: Bearer and the token. The server needs --allow-experimental graphql, and the database DEFINE CONFIG GRAPHQL.',
  write: {
    signIn: ({ caller }) => {
      if (caller.kind === 'system') return 'mutation { signIn(user: "NAME", pass: "PASSWORD") { token } }';
      if (caller.variables.length === 0) return '';
      const variables = objectOf(caller.variables.map((name) => [name, quoted(valueOfVariable(name))]));
      return `mutation { signIn(access: ${quoted(caller.access)}, variables: ${variables}) { token } }`;
    },
    read: ({ use }) => `{ ${typeOf(use)}(limit: 20) ${selection(use)} }`,
    create: (subject) => {
      const { use } = subject;
      const data = dataOf(subject, use.created);
      if (use.ends === undefined) return `mutation { create${capitalOf(use)}(data: ${data}) { id } }`;
      const [from, to] = [inGraphql(use.ends.in), inGraphql(use.ends.out)];
      return `mutation { relate${capitalOf(use)}(in: ${from}, out: ${to}, data: ${data}) { id } }`;
    },
    change: (subject) => {
      const { use } = subject;
      return `mutation { merge${capitalOf(use)}(id: ${keyOf(subject)}, data: ${dataOf(subject, use.changed)}) { id } }`;
    },
    remove: (subject) => `mutation { delete${capitalOf(subject.use)}(id: ${keyOf(subject)}) { id } }`,
    subscribe: ({ use }) => `subscription { ${typeOf(use)} { action id record ${selection(use)} } }`,
  },
};
