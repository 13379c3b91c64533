// The face of the package as its declarations (`dist/**/*.d.ts`) have it: what each entry point exports, and the types of ours that these name.
// `docs.mjs` writes it to docs/reference/api-report.md, so that a change of the face shows in a difference.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The declarations of a file, and the names that it takes from others. */
class Declarations {
  /** @type {Map<string, string>} by their names */
  own = new Map();
  /** @type {Map<string, { file: string, name: string }>} by the names they have here; only what is ours */
  imported = new Map();
  /** @type {Map<string, { file: string, name: string }>} */
  exported = new Map();
  /** @type {string[]} files of which everything is exported */
  all = [];

  constructor(file) {
    const path = (from) => (from.startsWith('.') ? join(dirname(file), from.replace(/\.js$/, '.d.ts')) : undefined);
    for (const text of statementsOf(readFileSync(file, 'utf8'))) {
      const [, , names, from] = /^(import|export)(?: type)? \{([^}]*)\}(?: from '([^']+)')?/s.exec(text) ?? [];
      const [, every] = /^export \* from '([^']+)'/.exec(text) ?? [];
      const [, name] =
        /^(?:export )?(?:declare )?(?:abstract )?(?:class|function|const|interface|type) (\w+)/.exec(text) ?? [];
      if (every !== undefined) this.all.push(path(every));
      else if (names !== undefined) {
        const source = from === undefined ? file : path(from);
        if (source === undefined) continue;
        for (const [there, here] of namesIn(names)) {
          (text.startsWith('import') ? this.imported : this.exported).set(here, { file: source, name: there });
        }
      } else if (name !== undefined) {
        this.own.set(name, [this.own.get(name), text].filter(Boolean).join('\n'));
        if (text.startsWith('export')) this.exported.set(name, { file, name });
      }
    }
  }
}

/** `A, type B as C` as pairs of the name there and the name here. */
const namesIn = (list) =>
  list
    .split(',')
    .map((one) => one.trim().replace(/^type /, ''))
    .filter((one) => one !== '')
    .map((one) => {
      const [there, here = there] = one.split(' as ');
      return [there, here];
    });

/** The statements of a file, without comments. Those of the compiler end in a semicolon or a brace at the end of a line. */
function statementsOf(source) {
  const lines = source.replace(/\/\*.*?\*\//gs, '').split('\n');
  const statements = [];
  let text = '';
  for (const line of lines.filter((one) => one.trim() !== '')) {
    text += text === '' ? line.trimEnd() : `\n${line.trimEnd()}`;
    const depth = (text.match(/[{([]/g)?.length ?? 0) - (text.match(/[})\]]/g)?.length ?? 0);
    if (depth === 0 && /[;}]$/.test(text)) {
      statements.push(text);
      text = '';
    }
  }
  return statements;
}

/** @type {Map<string, Declarations>} */
const files = new Map();
function read(file) {
  const known = files.get(file) ?? new Declarations(file);
  files.set(file, known);
  return known;
}

/** Where a name of a file is declared. */
function declarationOf(file, name) {
  const declarations = read(file);
  if (declarations.own.has(name)) return { file, name };
  const found = declarations.exported.get(name) ?? declarations.imported.get(name);
  if (found !== undefined && (found.file !== file || found.name !== name)) return declarationOf(found.file, found.name);
  if (declarations.imported.has(name)) return declarationOf(declarations.imported.get(name).file, name);
  return declarations.all.map((each) => declarationOf(each, name)).find((one) => one !== undefined);
}

/** The names that a file exports. @returns {string[]} */
const exportsOf = (file) => {
  const { exported, all } = read(file);
  return [...exported.keys(), ...all.flatMap(exportsOf)];
};

const withoutModifiers = (text) =>
  text
    .replace(/^(export )?(declare )?/gm, '')
    .replace(/^ +#private;\n/gm, '')
    .replace(/^ +private constructor\(\);\n/gm, '');

/** @param {string} root the folder of the package */
export function apiReport(root) {
  const { name: packageName, exports: entries } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const shown = new Set();
  const named = [];
  const show = ({ file, name }, alias = name) => {
    shown.add(`${file}#${name}`);
    const text = withoutModifiers(read(file).own.get(name));
    for (const [word] of text.matchAll(/\b[A-Z]\w*/g)) {
      const found = word === name ? undefined : declarationOf(file, word);
      if (found !== undefined) named.push(found);
    }
    return alias === name ? text : `${text}\nexport { ${name} as ${alias} };`;
  };
  const block = (declarations) => `\`\`\`ts\n${declarations.join('\n\n')}\n\`\`\``;
  const sections = Object.entries(entries).map(([entry, { types }]) => {
    const file = join(root, types);
    const names = [...new Set(exportsOf(file))].sort();
    return `## \`${join(packageName, entry)}\`\n\n${block(names.map((name) => show(declarationOf(file, name), name)))}`;
  });
  // Those that only these name are left out: through the options of a store most of the engine could be reached.
  const others = new Map(
    named.filter((one) => !shown.has(`${one.file}#${one.name}`)).map((one) => [`${one.file}#${one.name}`, one]),
  );
  const sorted = [...others.values()].sort((left, right) => (left.name < right.name ? -1 : 1)).map((one) => show(one));
  return `# API report

Made from the declarations of the package by \`npm run docs\`: what each entry point exports, without comments, and the
types that these name. A change here is a change of the public API. [Embedding](../guides/embedding.md) describes its
use.

${sections.join('\n\n')}

## Types that these name

They can't be imported by their names.

${block(sorted)}
`;
}
