/** The kinds of definitions. A kind that is forgotten doesn't compile. */
import type { DefineStatement } from '../ast.js';
import type { DefinitionGrammar } from './clause.js';
import { DEFINE_ACCESS } from './define-access.js';
import { DEFINE_ANALYZER } from './define-analyzer.js';
import { DEFINE_API } from './define-api.js';
import { DEFINE_BUCKET } from './define-bucket.js';
import { DEFINE_CONFIG } from './define-config.js';
import { DEFINE_DATABASE } from './define-database.js';
import { DEFINE_EVENT } from './define-event.js';
import { DEFINE_FIELD } from './define-field.js';
import { DEFINE_FUNCTION } from './define-function.js';
import { DEFINE_INDEX } from './define-index.js';
import { DEFINE_MODULE } from './define-module.js';
import { DEFINE_NAMESPACE } from './define-namespace.js';
import { DEFINE_PARAM } from './define-param.js';
import { DEFINE_SEQUENCE } from './define-sequence.js';
import { DEFINE_TABLE } from './define-table.js';
import { DEFINE_USER } from './define-user.js';

/** In the order of their words. */
const KINDS: {
  readonly [K in DefineStatement['kind']]: DefinitionGrammar<Extract<DefineStatement, { readonly kind: K }>>;
} = {
  'define-access': DEFINE_ACCESS,
  'define-analyzer': DEFINE_ANALYZER,
  'define-api': DEFINE_API,
  'define-bucket': DEFINE_BUCKET,
  'define-config': DEFINE_CONFIG,
  'define-database': DEFINE_DATABASE,
  'define-event': DEFINE_EVENT,
  'define-field': DEFINE_FIELD,
  'define-function': DEFINE_FUNCTION,
  'define-index': DEFINE_INDEX,
  'define-module': DEFINE_MODULE,
  'define-namespace': DEFINE_NAMESPACE,
  'define-param': DEFINE_PARAM,
  'define-sequence': DEFINE_SEQUENCE,
  'define-table': DEFINE_TABLE,
  'define-user': DEFINE_USER,
};

/** The rows take definitions of their kind, which a lookup by a kind known only in general can't tell the compiler. */
export function kindOf(kind: DefineStatement['kind']): DefinitionGrammar<DefineStatement> {
  return KINDS[kind] as unknown as DefinitionGrammar<DefineStatement>;
}

/** The kinds of statements that define something. */
export const DEFINITION_KINDS = Object.keys(KINDS) as readonly DefineStatement['kind'][];
