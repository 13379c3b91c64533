import type { BinaryOperator } from '../language/ast.js';

/** The operators that ask for values before, at or behind another in the order of values, as an index has them. */
export const ORDERED_OPERATORS = ['=', '==', '<', '<=', '>', '>='] as const satisfies readonly BinaryOperator[];
