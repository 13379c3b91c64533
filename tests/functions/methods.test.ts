import { expect, test } from 'vitest';
import { methodFor } from '../../src/functions/methods.js';
import { setFrom } from '../../src/value/order.js';
import { Datetime, Duration, float, Geometry, objectFrom, RecordId, type Value } from '../../src/value/value.js';

const point = new Geometry({ type: 'Point', coordinates: [1, 2] });

test.each<[receiver: Value, name: string, expected: string | undefined]>([
  ['a', 'len', 'string::len'],
  ['a', 'distance_levenshtein', 'string::distance::levenshtein'],
  ['a', 'is_email', 'string::is_email'],
  ['a', 'is_uuid', 'string::is_uuid'],
  ['a', 'html_encode', 'string::html::encode'],
  ['a', 'concat', 'string::concat'],
  ['a', 'repeat', 'string::repeat'],
  ['a', 'md5', undefined],
  [[1], 'len', 'array::len'],
  [[1], 'sort_asc', 'array::sort::asc'],
  [[1], 'every', 'array::all'],
  [[1], 'some', 'array::any'],
  [[1], 'includes', 'array::any'],
  [[1], 'index_of', 'array::find_index'],
  [[1], 'push', 'array::append'],
  [[1], 'vector_add', 'vector::add'],
  [[1], 'vector_distance_euclidean', 'vector::distance::euclidean'],
  [[1], 'sum', undefined],
  [1, 'abs', 'math::abs'],
  [float(1), 'floor', 'math::floor'],
  [1, 'len', undefined],
  [1, 'repeat', 'array::repeat'],
  [new Datetime(0, 0), 'year', 'time::year'],
  [new Datetime(0, 0), 'now', undefined],
  [new Duration(1n), 'secs', 'duration::secs'],
  [new Duration(1n), 'from_secs', undefined],
  [point, 'area', 'geo::area'],
  [point, 'hash_encode', 'geo::hash::encode'],
  [objectFrom({}), 'keys', 'object::keys'],
  [new RecordId('a', 1), 'id', 'record::id'],
  [new Uint8Array(1), 'len', 'bytes::len'],
  [setFrom([1]), 'union', 'set::union'],
  [setFrom([1]), 'sort', undefined],
  [true, 'is_bool', 'type::is_bool'],
  [undefined, 'is_none', 'type::is_none'],
  [1, 'to_string', 'type::string'],
  ['1', 'to_int', 'type::int'],
  [1, 'type_of', 'type::of'],
  [1, 'chain', 'chain'],
  [1, 'diff', 'value::diff'],
  [1, 'patch', 'value::patch'],
  [1, 'constructor', undefined],
])('%s .%s()', (receiver, name, expected) => {
  expect(methodFor(receiver, name)?.name).toBe(expected);
});
