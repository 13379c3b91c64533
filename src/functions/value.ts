/** `value::*`: JSON Patch between values, and values as code. */
import { boundedValueCode } from '../language/value-code.js';
import { diff } from '../value/patch/diff.js';
import { patch } from '../value/patch/patch.js';
import type { FunctionRow } from './calls/contract.js';
import { define } from './calls/define.js';
import { any } from './calls/parameters.js';

export const valueFunctions: readonly FunctionRow[] = [
  define(
    'value::diff',
    [any('before'), any('after')],
    'array<object>',
    'The JSON Patch that leads from one value to another.',
    (before, after) => diff(before, after),
  ),
  define(
    'value::patch',
    [any('value'), any('operations')],
    'any',
    'A value changed by the operations of a JSON Patch.',
    (value, operations) => patch(value, operations),
  ),
  define(
    'value::quote',
    [any('value')],
    'string',
    'The text of an expression whose value is this one, of the same kind and bits: `1f`, `type::table("person")`.',
    boundedValueCode,
  ),
];
