/** The query vector of a search for nearest neighbours, checked before any record is measured. */
import { andThen, type PromiseOrValue } from '../../../base/promise-or-value.js';
import { failure, type TesseraError } from '../../../errors/error.js';
import type { Vector } from '../../../functions/vector/packed.js';
import type { Expression } from '../../../language/ast.js';
import type { Compiler, Frame } from '../../../runtime/frame.js';
import { CoercionError, coerce } from '../../../value/coerce.js';
import { toErrorText } from '../../../value/text/text.js';
import type { Type } from '../../../value/type.js';
import { isArray } from '../../../value/value.js';

const ARRAY_OF_NUMBERS: Type = { kind: 'array', item: { kind: 'number' } };

/** The query vector, the same for all rows. @throws TesseraError `nearest_operand` */
export function compileVector(vector: Expression, compiler: Compiler): (frame: Frame) => PromiseOrValue<Vector> {
  const evaluate = compiler.expression(vector);
  return (frame) =>
    andThen(evaluate(frame.entering()), (value) => {
      if (!isArray(value)) throw wrongOperand(`Expected \`array<number>\` but found \`${toErrorText(value)}\``);
      try {
        return coerce(value, ARRAY_OF_NUMBERS) as Vector;
      } catch (error) {
        if (error instanceof CoercionError) throw wrongOperand(error.message);
        throw error;
      }
    });
}

function wrongOperand(reason: string): TesseraError {
  return failure('nearest_operand', { reason });
}
