import { checkRows } from './calls.js';

// The calls and what the reference engine answers.
checkRows([
  ['duration::nanos(1h)', '3600000000000'],
  ['duration::mins(90s)', '1'],
  ['duration::years(800d)', '2'],
  ['duration::weeks(800d)', '114'],
  [
    'duration::from_weeks(9223372036854775807)',
    'Failed to compute: "duration::from_weeks(9223372036854775807)", as the operation results in an arithmetic overflow.',
  ],
  ['duration::from_weeks(2)', '2w'],
  ['duration::from_secs(9223372036854775807)', '292471208677y27w6d15h30m7s'],
  [
    "duration::days('1d')",
    "Incorrect arguments for function duration::days(). Argument 1 was the wrong type. Expected `duration` but found `'1d'`",
  ],
]);
