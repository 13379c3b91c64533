import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  edgeAt,
  edgeKey,
  edgePrefix,
  referenceKey,
  referencePrefix,
  referrerAt,
} from '../../src/catalog/keys/edge-keys.js';
import { prefixRange } from '../../src/catalog/keys/key-bytes.js';
import {
  databaseArea,
  databaseKey,
  databasesRange,
  definitionKey,
  definitionRange,
  encodedKeyOf,
  memberKey,
  memberRange,
  recordKey,
  recordPrefix,
  tableOfMember,
} from '../../src/catalog/keys/store-keys.js';
import { TableKeys } from '../../src/catalog/keys/table-keys.js';
import type { Key, KeyRange } from '../../src/storage/contract.js';
import { encodeKey } from '../../src/value/codecs/key-codec.js';

const id = fc.integer({ min: 0, max: 2 ** 32 - 2 });
const name = fc.string({
  unit: fc.constantFrom('\0', '\x01', 'a', 'z', '\x7f', 'é', '€', '🦉', '\ud800', '\uffff'),
  maxLength: 4,
});
const within = (key: Key, { from, to }: KeyRange) => from <= key && key < to;
const isBytes = (key: Key) => [...key].every((character) => character.charCodeAt(0) < 256);

describe('names', () => {
  it('give keys of bytes that differ and lie in the order of code points', () => {
    fc.assert(
      fc.property(name, name, (a, b) => {
        const [left, right] = [definitionKey('R', 'table', a), definitionKey('R', 'table', b)];
        expect(isBytes(left)).toBe(true);
        expect(Math.sign(compare(left, right))).toBe(Math.sign(compareCodePoints(a, b)));
      }),
    );
  });

  it('of one namespace never reach into another', () => {
    fc.assert(
      fc.property(name, name, name, (a, b, database) => {
        expect(within(databaseKey(a, database), databasesRange(b))).toBe(a === b);
      }),
    );
  });
});

describe('ranges', () => {
  it('hold the keys of their table and no other', () => {
    fc.assert(
      fc.property(id, id, id, id, fc.integer(), (database, table, otherDatabase, otherTable, key) => {
        const same = database === otherDatabase && table === otherTable;
        const found = recordKey(otherDatabase, otherTable, encodeKey(key));
        expect(within(found, prefixRange(recordPrefix(database, table)))).toBe(same);
        expect(within(found, prefixRange(databaseArea(database)))).toBe(database === otherDatabase);
        expect(encodedKeyOf(found)).toBe(encodeKey(key));
        expect(within(memberKey(otherDatabase, otherTable, 'field', 'f'), memberRange(database, table))).toBe(same);
        expect(tableOfMember(memberKey(database, table, 'field', 'f'))).toBe(table);
        expect(new TableKeys(otherDatabase, otherTable).record(encodeKey(key))).toBe(found);
      }),
    );
  });

  it('of a prefix that ends in the last byte go on to the next one', () => {
    expect(prefixRange('a\xff\xff')).toEqual({ from: 'a\xff\xff', to: 'b' });
  });

  it('of definitions hold one kind', () => {
    const range = definitionRange('R', 'user');
    expect(within(definitionKey('R', 'user', 'x'), range)).toBe(true);
    expect(within(definitionKey('R', 'access', 'x'), range)).toBe(false);
    expect(within(definitionKey('R', 'access', 'x'), definitionRange('R'))).toBe(true);
  });
});

describe('edges', () => {
  it('are recognised by the key at a node', () => {
    fc.assert(
      fc.property(id, id, id, fc.integer(), name, (database, table, edgeTable, node, edge) => {
        const at = new TableKeys(database, table).node(encodeKey(node));
        const key = edgeKey(at, 'out', edgeTable, encodeKey(edge));
        expect(edgeAt(at, key)).toEqual({ table: edgeTable, key: encodeKey(edge) });
        expect(within(key, prefixRange(edgePrefix(at, 'out')))).toBe(true);
        expect(within(key, prefixRange(edgePrefix(at, 'out', edgeTable)))).toBe(true);
        expect(within(key, prefixRange(edgePrefix(at, 'in')))).toBe(false);
      }),
    );
  });

  it('of one node are apart from those of another', () => {
    const keys = new TableKeys(1, 2);
    fc.assert(
      fc.property(fc.string({ maxLength: 3 }), fc.string({ maxLength: 3 }), (a, b) => {
        const key = edgeKey(keys.node(encodeKey(a)), 'in', 3, encodeKey(1));
        expect(within(key, prefixRange(keys.node(encodeKey(b))))).toBe(a === b);
      }),
    );
  });

  it('from fields are reported with the field', () => {
    const node = new TableKeys(1, 2).node(encodeKey(1));
    const key = referenceKey(node, 7, 'a.b', encodeKey('x'));
    expect(referrerAt(node, key)).toEqual({ table: 7, key: encodeKey('x') });
    expect(within(key, prefixRange(referencePrefix(node, 7, 'a.b')))).toBe(true);
    expect(within(key, prefixRange(referencePrefix(node, 7, 'a')))).toBe(false);
  });
});

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareCodePoints(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const difference = codePoint(left[at]) - codePoint(right[at]);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

function codePoint(character = ''): number {
  return character.codePointAt(0) ?? -1;
}
