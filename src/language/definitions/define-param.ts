/** DEFINE PARAM: its clauses. */
import { toText } from '../../value/text/text.js';
import type { DefineParam } from '../ast.js';
import { paramText } from '../printer/printer.js';
import { type DefinitionGrammar, shownCode } from './clause.js';
import { COMMENT, PERMISSIONS } from './shared-clauses.js';

export const DEFINE_PARAM: DefinitionGrammar<DefineParam> = {
  words: ['PARAM'],
  subject: {
    parse: (parser) => ({ name: parser.param() }),
    text: ({ name }) => paramText(name),
    structure: ({ name }) => ({ name }),
  },
  clauses: {
    value: {
      unset: { kind: 'literal', value: undefined },
      parse: { VALUE: (parser) => ({ value: parser.expression() }) },
      text: ({ value }, printer) => `VALUE ${printer.expression(value)}`,
      structure: ({ value }, printer) => ({
        value: value.kind === 'literal' ? toText(value.value) : shownCode(value, printer),
      }),
      map: (value, mapper) => mapper.expression(value),
    },
    comment: COMMENT,
    permissions: PERMISSIONS,
  },
  alter: {
    clauses: ['value', 'comment', 'permissions'],
    drops: ['comment'],
  },
};
