/** `sequence::*`: the next number of DEFINE SEQUENCE. */
import { failure } from '../errors/error.js';
import type { FunctionRow } from './calls/contract.js';
import { define } from './calls/define.js';
import { any, rest } from './calls/parameters.js';

export const sequenceFunctions: readonly FunctionRow[] = [
  define(
    'sequence::nextval',
    [rest(any('name'))],
    'int',
    'The next number of a sequence, each is returned once; unused numbers are lost.',
    ([name], context) => {
      if (typeof name !== 'string') {
        throw failure('invalid_arguments', { name: 'sequence::nextval()', reason: 'Expect a sequence name' });
      }
      return context.nextNumber(name);
    },
    { deterministic: false },
  ),
];
