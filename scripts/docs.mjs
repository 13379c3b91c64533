// Writes those pages of docs/ that are made from the sources: settings, functions, errors and the API report.
// `npm run docs` builds and runs it. With --check it writes nothing and fails when a page is out of date.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CATALOGUE } from '../dist/errors/catalogue.js';
import { ANY_INPUT, MAX_INPUT } from '../dist/functions/calls/input-limit.js';
import { CONSTANTS } from '../dist/functions/constants.js';
import { FUNCTIONS } from '../dist/functions/registry.js';
import { ALL_SETTINGS } from '../dist/server/configuration.js';
import { variableName } from '../dist/server/setting.js';
import { typeText } from '../dist/value/text/type-text.js';
import { apiReport } from './api-report.mjs';
import { readOptions } from './options.mjs';
import { wrapped } from './wrapped.mjs';

const HELP = `Writes the pages of docs/ that are made from the sources. Needs a build ("npm run docs" makes one).

  node scripts/docs.mjs [--check]

  --check      writes nothing, and fails when a page is out of date
  -h, --help   prints this`;
const { values } = readOptions(HELP, { options: { check: { type: 'boolean', default: false } } });

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

const code = (text) => `\`${text}\``;
/** An entry of a list, in lines of at most 120 columns. */
const entry = (text) => wrapped(`- ${String(text).replaceAll('\n', ' ')}`, '  ');
const list = (entries) => entries.map(entry).join('\n');

function settings() {
  return list(
    ALL_SETTINGS.map((setting) => {
      const { flag, peer, fallback, description } = setting;
      const variables = [variableName(setting), peer].filter(Boolean).map(code).join(', ');
      return `${code(flag)} (${variables}${fallback ? `; default ${code(fallback)}` : ''}): ${description}`;
    }),
  );
}

function functions() {
  const families = Map.groupBy
    ? Map.groupBy(FUNCTIONS, familyOf)
    : FUNCTIONS.reduce((map, one) => map.set(familyOf(one), [...(map.get(familyOf(one)) ?? []), one]), new Map());
  const sections = [...families].map(([family, rows]) => {
    const entries = rows.map((one) => {
      const parameters = one.parameters.map(parameter).join(', ');
      return `${code(`${one.name}(${parameters})`)} → ${code(one.returns)}: ${described(one)}`;
    });
    return `## ${family}\n\n${list(entries)}`;
  });
  const constants = list(
    CONSTANTS.map(({ name, description }) => {
      return `${code(name.replace(/::.*/, (tail) => tail.toUpperCase()))}: ${description}`;
    }),
  );
  return `# Functions

Every function and constant, made from the sources by \`npm run docs\`. \`?\` marks a parameter that may be left out,
\`…\` one that takes all remaining arguments, \`→\` what the function gives. A function whose first parameter fits a value
can be called as its method: \`'abc'.len()\` is \`string::len('abc')\`.

The arguments of one call may have ${MAX_INPUT} characters, bytes, elements and fields together, or as many as is said of the
function (\`Takes …\`); a call with more fails with \`input_too_large\`. So no call holds up other clients.

${FUNCTIONS.length} functions, and these ${CONSTANTS.length} constants:

${constants}

${sections.join('\n\n')}
`;
}

function described({ description, aliases, largest = MAX_INPUT }) {
  const others = aliases?.length ? ` Also ${aliases.map(code).join(', ')}.` : '';
  return largest === MAX_INPUT || largest === ANY_INPUT
    ? description + others
    : `${description}${others} Takes ${largest}.`;
}

function familyOf({ name }) {
  return name.includes('::') ? name.slice(0, name.indexOf('::')) : 'without a family';
}

function parameter({ name, type, optional, rest }) {
  return `${rest ? '…' : ''}${name}${optional ? '?' : ''}: ${typeText(type)}`;
}

function errors() {
  const entries = Object.entries(CATALOGUE).map(([name, one]) => {
    // An offset counts from 1 in a text, and 1 added to a placeholder is written behind it.
    const text = one.text(PLACEHOLDERS).replaceAll('›1', '›');
    const facts = [one.kind, one.http && `HTTP ${one.http}`, one.rpc && `RPC ${one.rpc}`, one.retryable && '*again*'];
    return `${code(name)} (${facts.filter(Boolean).join(', ')}): ${text}`;
  });
  return `# Errors

Every error, made from the catalogue in \`src/errors/sections/\` by \`npm run docs\`. The code is stable: match it, not
the text. Over HTTP it is the field \`error\` of an error's body; in process it is \`code\` of a \`TesseraError\`. The
status is that of a request which fails as a whole; the error of one statement of many stands in its entry, with status
200. Where none is given, the status is 400, and the number over RPC -32000. *Again* means that the same request may
succeed when it is sent again.

${list(entries)}
`;
}

/** Replaces the details of an error: every field is its own name, in guillemets, and a list of that as well. */
const PLACEHOLDERS = new Proxy({}, { get: (_target, name) => placeholder(String(name)) });

function placeholder(name) {
  const text = `‹${name}›`;
  return new Proxy(new String(text), {
    get(target, key) {
      if (key === 'map') return (change) => [change(text)];
      if (key === 'join') return () => text;
      if (typeof key !== 'symbol' && !(key in target)) return placeholder(key);
      return typeof target[key] === 'function' ? target[key].bind(target) : target[key];
    },
  });
}

function inside(path, mark, text) {
  const [before, rest] = readFileSync(path, 'utf8').split(`<!-- ${mark} -->`);
  const after = rest?.split(`<!-- /${mark} -->`)[1];
  if (after === undefined) throw new Error(`${path} has no place for ${mark}`);
  return `${before}<!-- ${mark} -->\n${text}\n<!-- /${mark} -->${after}`;
}

const PAGES = {
  'docs/reference/settings.md': () => inside('docs/reference/settings.md', 'settings', settings()),
  'docs/reference/functions.md': functions,
  'docs/reference/errors.md': errors,
  'docs/reference/api-report.md': () => apiReport('.'),
};

const { check } = values;
for (const [path, make] of Object.entries(PAGES)) {
  const text = make();
  if (!check) writeFileSync(path, text);
  else if (!existsSync(path) || readFileSync(path, 'utf8') !== text) {
    console.error(`${path} is out of date: run \`npm run docs\``);
    process.exitCode = 1;
  }
}
