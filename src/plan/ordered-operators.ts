/** The comparisons that the order of values answers, as both the choice of an index and batch predicates need them. */
import type { BinaryOperator } from '../language/ast.js';

/** The operators that an ordered index serves: before, at or behind another value in the order of values. */
export const ORDERED_OPERATORS = ['=', '==', '<', '<=', '>', '>='] as const satisfies readonly BinaryOperator[];
