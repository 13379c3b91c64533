/** What definitions are called by: a name alone, on a table, or at a level. */
import type { Level, Name } from '../ast.js';
import { definitionName, level, onTable } from '../parser/clauses.js';
import { levelText } from '../printer/clauses.js';
import { nameText } from '../printer/printer.js';
import type { DefinitionSubject } from './clause.js';

/** A name as STRUCTURE shows it: those of definitions that INFO shows are fixed. */
export function fixedName(name: Name): string {
  return name as string;
}

/** `name`. */
export const NAMED: DefinitionSubject<{ readonly name: Name }> = {
  parse: (parser) => ({ name: definitionName(parser) }),
  text: ({ name }, printer) => nameText(name, printer),
  structure: ({ name }) => ({ name: fixedName(name) }),
};

/** `name ON [TABLE] table`. */
export const ON_TABLE: DefinitionSubject<{ readonly name: Name; readonly table: Name }> = {
  parse(parser) {
    const name = definitionName(parser);
    onTable(parser);
    return { name, table: definitionName(parser) };
  },
  text: ({ name, table }, printer) => `${nameText(name, printer)} ON ${nameText(table, printer)}`,
};

/** `name ON level`. */
export const AT_LEVEL: DefinitionSubject<{ readonly name: Name; readonly level: Level }> = {
  parse(parser) {
    const name = definitionName(parser);
    parser.expectWord('ON');
    return { name, level: level(parser) };
  },
  text: (node, printer) => `${nameText(node.name, printer)} ${levelText(node.level)}`,
  structure: ({ name }) => ({ name: fixedName(name) }),
};
