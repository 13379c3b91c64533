/** DEFINE MODULE: `DEFINE MODULE mod::a AS f"bucket:/file"`, also without a name of its own. */
import type { DefineModule } from '../ast.js';
import { moduleName } from '../parser/clauses.js';
import type { DefinitionGrammar } from './clause.js';
import { COMMENT, comment } from './shared-clauses.js';

export const DEFINE_MODULE: DefinitionGrammar<DefineModule> = {
  words: ['MODULE'],
  subject: {
    parse(parser) {
      const name = parser.isWord('MOD') || parser.isWord('SILO') ? moduleName(parser) : undefined;
      if (name !== undefined) parser.expectWord('AS');
      return name === undefined ? {} : { name };
    },
    text: ({ name }) => name && `${name} AS`,
  },
  clauses: {
    source: {
      unset: { kind: 'literal', value: undefined },
      parse: {},
      text: ({ source }, printer) => printer.expression(source),
      map: (source, mapper) => mapper.expression(source),
    },
    comment: COMMENT,
  },
  read(parser, _, node) {
    node.source = parser.expression();
    return parser.acceptWord('COMMENT') ? { ...node, ...comment(parser, {}) } : node;
  },
};
