import { checkRows } from './calls.js';

// The calls and what the reference engine answers.
checkRows([
  ['object::entries({b:1,a:2})', "[['a', 2], ['b', 1]]"],
  ["object::from_entries([['a',1],['b',2]])", '{ a: 1, b: 2 }'],
  [
    "object::from_entries([['a',1],['b']])",
    'Incorrect arguments for function object::from_entries(). Expected entries, found array',
  ],
  ['object::from_entries([1])', 'Incorrect arguments for function object::from_entries(). Expected entries, found int'],
  [
    "object::from_entries([['a',1,2]])",
    'Incorrect arguments for function object::from_entries(). Expected entries, found array',
  ],
  ['object::keys({b:1,a:2})', "['a', 'b']"],
  ['object::values({b:1,a:2})', '[2, 1]'],
  ['object::len({b:1})', '1'],
  ['object::is_empty({})', 'true'],
  ['object::extend({a:1,b:2},{b:3,c:4})', '{ a: 1, b: 3, c: 4 }'],
  ['object::extend({a:1,b:2},{b:NONE})', '{ a: 1, b: NONE }'],
  ["object::remove({a:1,b:2},'a')", '{ b: 2 }'],
  ["object::remove({a:1,b:2},['a','z'])", '{ b: 2 }'],
  [
    'object::remove({a:1,b:2},1)',
    "Incorrect arguments for function object::remove(). '1' cannot be used as a key. Please use a string instead.",
  ],
  [
    'object::remove({a:1,b:2},[1])',
    "Incorrect arguments for function object::remove(). '1' cannot be used as a key. Please use a string instead.",
  ],
  [
    "object::remove({a:1,b:2},['a',1])",
    "Incorrect arguments for function object::remove(). '1' cannot be used as a key. Please use a string instead.",
  ],
  [
    'object::len(a:1)',
    'Incorrect arguments for function object::len(). Argument 1 was the wrong type. Expected `object` but found `a:1`',
  ],
  [
    'object::keys((1,2))',
    'Incorrect arguments for function object::keys(). Argument 1 was the wrong type. Expected `object` but found `(1, 2)`',
  ],
  [
    "object::keys({type:'Point',coordinates:[1,2]})",
    'Incorrect arguments for function object::keys(). Argument 1 was the wrong type. Expected `object` but found `(1, 2)`',
  ],
]);
