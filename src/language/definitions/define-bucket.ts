/** DEFINE BUCKET: its clauses. */
import type { DefineBucket } from '../ast.js';
import { clause } from '../printer/printer.js';
import { codeClause, type DefinitionGrammar, flagClause } from './clause.js';
import { COMMENT, PERMISSIONS } from './shared-clauses.js';
import { NAMED } from './subjects.js';

export const DEFINE_BUCKET: DefinitionGrammar<DefineBucket> = {
  words: ['BUCKET'],
  subject: NAMED,
  clauses: {
    readonly: flagClause('READONLY', (node) => node.readonly, { readonly: true }),
    backend: {
      ...codeClause<DefineBucket>(
        'BACKEND',
        (node) => node.backend,
        (backend) => ({ backend }),
      ),
      text: ({ backend }, printer) => clause('BACKEND', backend, printer.expression),
    },
    permissions: PERMISSIONS,
    comment: COMMENT,
  },
};
