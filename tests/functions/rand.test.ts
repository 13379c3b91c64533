import { checkRows } from './calls.js';

// The calls and what the reference engine answers.
checkRows([
  [
    'rand::int(NONE,NONE)',
    'Incorrect arguments for function rand::int(). Argument 1 was the wrong type. Expected `int` but found `NONE`',
  ],
  ['rand::float(1,1)', '1f'],
  ['rand::int(1,1)', '1'],
  [
    'rand::string(5,2)',
    'Incorrect arguments for function rand::string(). Lowerbound of number of characters must be less then the upperbound.',
  ],
  ['rand::string(0)', "''"],
  [
    'rand::string(65537)',
    'Incorrect arguments for function rand::string(). To generate a string of X characters in length, the argument must be a positive number and no higher than 65536.',
  ],
  [
    'rand::string(1,65537)',
    'Incorrect arguments for function rand::string(). To generate a string of X characters in length, the argument must be a positive number and no higher than 65536.',
  ],
  [
    'rand::id(65)',
    'Incorrect arguments for function rand::id(). To generate a string of X characters in length, the argument must be a positive number and no higher than 64.',
  ],
  [
    'rand::id(65537)',
    'Incorrect arguments for function rand::id(). To generate a string of X characters in length, the argument must be a positive number and no higher than 64.',
  ],
  [
    'rand::id(5,2)',
    'Incorrect arguments for function rand::id(). Lowerbound of number of characters must be less then the upperbound.',
  ],
  ['rand::enum([1])', '1'],
  ['rand::enum([1],[1])', '[1]'],
  ['rand::enum([])', 'NONE'],
  ['rand::enum(1,1,1)', '1'],
  ['rand::duration(1h,1h)', '1h'],
  ['rand::time(5,5)', "d'1970-01-01T00:00:05Z'"],
  [
    "rand::time('x',2)",
    'Incorrect arguments for function rand::time(). Expected two arguments of type datetime or int',
  ],
  ['rand::time(1)', 'Incorrect arguments for function rand::time(). Expected 0 or 2 arguments'],
  [
    'rand::time(9223372036854775807,9223372036854775806)',
    "Incorrect arguments for function rand::time(). To generate a random time, the 2 arguments must be numbers between -8334601228800 and 8210266876799 seconds from the UNIX epoch or a 'datetime' within the range d'-262143-01-01T00:00:00Z' and +262142-12-31T23:59:59Z'.",
  ],
  [
    'rand::ulid(1)',
    'Incorrect arguments for function rand::ulid(). Argument 1 was the wrong type. Expected `datetime` but found `1`',
  ],
]);
