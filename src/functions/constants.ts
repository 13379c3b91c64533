/** Named constants, by their lower-case paths. */
import { MAX_DATETIME, MIN_DATETIME } from '../value/time/datetime.js';
import { MAX_DURATION } from '../value/time/duration.js';
import { Datetime, Duration, type Value } from '../value/value.js';

export interface NamedConstant {
  readonly name: string;
  readonly value: Value;
  readonly description: string;
}

function named(name: string, value: Value, description: string): NamedConstant {
  return { name, value, description };
}

export const CONSTANTS: readonly NamedConstant[] = [
  named('duration::max', new Duration(MAX_DURATION), 'The longest duration.'),
  named('math::e', Math.E, 'Euler’s number.'),
  named('math::frac_1_pi', 1 / Math.PI, '1/π'),
  named('math::frac_1_sqrt_2', Math.SQRT1_2, '1/√2'),
  named('math::frac_2_pi', 2 / Math.PI, '2/π'),
  named('math::frac_2_sqrt_pi', 2 / Math.sqrt(Math.PI), '2/√π'),
  named('math::frac_pi_2', Math.PI / 2, 'π/2'),
  named('math::frac_pi_3', 1.0471975511965979, 'π/3'),
  named('math::frac_pi_4', Math.PI / 4, 'π/4'),
  named('math::frac_pi_6', 0.5235987755982989, 'π/6'),
  named('math::frac_pi_8', Math.PI / 8, 'π/8'),
  named('math::inf', Number.POSITIVE_INFINITY, 'Infinity.'),
  named('math::ln_10', Math.LN10, 'The natural logarithm of 10.'),
  named('math::ln_2', Math.LN2, 'The natural logarithm of 2.'),
  named('math::log10_2', 0.3010299956639812, 'The logarithm of 2 to the base 10.'),
  named('math::log10_e', Math.LOG10E, 'The logarithm of e to the base 10.'),
  named('math::log2_10', 3.321928094887362, 'The logarithm of 10 to the base 2.'),
  named('math::log2_e', Math.LOG2E, 'The logarithm of e to the base 2.'),
  named('math::neg_inf', Number.NEGATIVE_INFINITY, 'Negative infinity.'),
  named('math::pi', Math.PI, 'π'),
  named('math::sqrt_2', Math.SQRT2, '√2'),
  named('math::tau', 2 * Math.PI, '2π'),
  named('time::epoch', new Datetime(0, 0), 'The beginning of 1970.'),
  named('time::maximum', MAX_DATETIME, 'The latest datetime.'),
  named('time::minimum', MIN_DATETIME, 'The earliest datetime.'),
];
