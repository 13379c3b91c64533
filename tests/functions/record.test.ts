import { checkRows } from './calls.js';

// The calls and what the reference engine answers.
checkRows([
  ['record::id(a:1)', '1'],
  ['record::tb(a:1)', "'a'"],
  ['record::table(a:1)', "'a'"],
  ['record::id(a:1..2)', '1..2'],
  ['record::is_edge(a:1)', 'false'],
  ["record::is_edge('a:1')", 'false'],
  ["record::is_edge('a')", 'Incorrect arguments for function record::is_edge(). Expected a record ID'],
  ['record::is_edge(1)', 'Incorrect arguments for function record::is_edge(). Expected a record ID'],
  ["record::is_edge('e:1')", 'false'],
  ['record::is_edge(e:99)', 'false'],
  ['record::is_edge(a:99)', 'false'],
  [
    "record::id('a:1')",
    "Incorrect arguments for function record::id(). Argument 1 was the wrong type. Expected `record` but found `'a:1'`",
  ],
  ['meta::id(a:1)', '1'],
  ['meta::tb(a:1)', "'a'"],
]);
