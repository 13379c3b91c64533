/** DEFINE, by what is defined. */
import type { DefineStatement } from '../../language/ast.js';
import type { Compiler, Evaluate } from '../execution.js';
import { defineAccess } from './define-access.js';
import { defineAnalyzer } from './define-analyzer.js';
import { defineConfig } from './define-config.js';
import { defineDatabase } from './define-database.js';
import { defineEvent } from './define-event.js';
import { defineField } from './define-field.js';
import { defineFunction } from './define-function.js';
import { defineIndex } from './define-index.js';
import { defineNamespace } from './define-namespace.js';
import { defineParam } from './define-param.js';
import { defineTable } from './define-table.js';
import { defineUser } from './define-user.js';

/** Rows for the compiler's table of statements. */
export const DEFINITIONS: {
  readonly [K in DefineStatement['kind']]: (
    statement: Extract<DefineStatement, { readonly kind: K }>,
    compiler: Compiler,
  ) => Evaluate;
} = {
  'define-namespace': defineNamespace,
  'define-database': defineDatabase,
  'define-table': defineTable,
  'define-field': defineField,
  'define-index': defineIndex,
  'define-event': defineEvent,
  'define-param': defineParam,
  'define-function': defineFunction,
  'define-user': defineUser,
  'define-access': defineAccess,
  'define-config': defineConfig,
  'define-analyzer': defineAnalyzer,
};
