/** DEFINE NAMESPACE. */
import type { DefineNamespace } from '../ast.js';
import type { DefinitionGrammar } from './clause.js';
import { COMMENT } from './shared-clauses.js';
import { NAMED } from './subjects.js';

export const DEFINE_NAMESPACE: DefinitionGrammar<DefineNamespace> = {
  words: ['NAMESPACE', 'NS'],
  subject: NAMED,
  clauses: { comment: COMMENT },
};
