/** DEFINE FUNCTION: its parameters, body and clauses. */
import { typeText } from '../../value/text/type-text.js';
import type { DefineFunction } from '../ast.js';
import { block } from '../parser/block.js';
import { functionName } from '../parser/clauses.js';
import { functionParameters } from '../parser/expression/closure.js';
import { type } from '../parser/type.js';
import { clause, functionPath, list, paramText } from '../printer/printer.js';
import { block as mapBlock } from '../visitor/expressions.js';
import { type ClauseRows, type DefinitionGrammar, readClauses, shownCode } from './clause.js';
import { COMMENT, IN_GRAPHQL, PERMISSIONS } from './shared-clauses.js';

const CLAUSES: ClauseRows<DefineFunction> = {
  parameters: {
    unset: [],
    parse: { '(': (parser) => ({ parameters: functionParameters(parser) }) },
    // DEFINE has them right behind the name.
    text: () => undefined,
    altered: { text: parametersText },
    structure: ({ parameters }) => ({
      args: parameters.map((parameter) => [parameter.name, typeText(parameter.type)]),
    }),
  },
  returns: {
    parse: {
      '->': (parser) => {
        parser.expectPunct('->');
        return { returns: type(parser) };
      },
    },
    text: ({ returns }) => clause('->', returns, typeText),
    altered: { dropWord: 'RETURNS' },
    structure: ({ returns }) => ({ returns: returns && typeText(returns) }),
  },
  body: {
    unset: { kind: 'block', statements: [] },
    parse: { '{': (parser) => ({ body: block(parser) }) },
    text: ({ body }, printer) => printer.block(body),
    structure: ({ body }, printer) => ({ block: shownCode(body, printer) }),
    map: mapBlock,
  },
  comment: COMMENT,
  ...IN_GRAPHQL,
  permissions: PERMISSIONS,
};

export const DEFINE_FUNCTION: DefinitionGrammar<DefineFunction> = {
  words: ['FUNCTION'],
  subject: {
    parse: (parser) => ({ name: functionName(parser) }),
    text: (node) => functionPath(node.name) + parametersText(node),
    structure: ({ name }) => ({ name }),
  },
  clauses: CLAUSES,
  read(parser, table, node) {
    node.parameters = functionParameters(parser);
    if (parser.acceptPunct('->')) node.returns = type(parser);
    node.body = block(parser);
    return readClauses(parser, table, node);
  },
  alter: {
    subject: { text: ({ name }) => functionPath(name) },
    clauses: ['parameters', 'returns', 'body', 'comment', 'graphqlAlias', 'graphqlDeprecated', 'permissions'],
    drops: ['returns', 'comment', 'graphqlAlias', 'graphqlDeprecated'],
  },
};

function parametersText({ parameters }: DefineFunction): string {
  return `(${list(parameters, ({ name, type }) => `${paramText(name)}: ${typeText(type)}`)})`;
}
