/** DEFINE DATABASE: its clauses. */
import type { DefineDatabase } from '../ast.js';
import { type DefinitionGrammar, flagClause } from './clause.js';
import { CHANGEFEED, COMMENT } from './shared-clauses.js';
import { NAMED } from './subjects.js';

export const DEFINE_DATABASE: DefinitionGrammar<DefineDatabase> = {
  words: ['DATABASE', 'DB'],
  subject: NAMED,
  clauses: {
    strict: {
      ...flagClause<DefineDatabase>('STRICT', (node) => node.strict, { strict: true }),
      structure: ({ strict }) => ({ strict: strict || undefined }),
    },
    comment: COMMENT,
    changefeed: CHANGEFEED,
  },
};
