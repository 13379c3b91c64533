/** Posting lists and the tables of terms, as they are written and read. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AT_ONCE } from '../../src/base/work/work.js';
import { TermOrder } from '../../src/search/segments/gathered-source.js';
import { forEachNoted, noteTerms, readChange, storeChange } from '../../src/search/segments/pending.js';
import {
  addStored,
  EARLIER_LIST_FORMAT,
  encodePostings,
  LIST_FORMAT,
  PostingBuffer,
  PostingList,
  WINDOW,
} from '../../src/search/segments/postings.js';
import { compareTerms, type TermBytes, termHead, termText } from '../../src/search/segments/term-bytes.js';
import { hashOf, SequenceTable } from '../../src/search/text/sequence-table.js';
import { TermDictionary } from '../../src/search/text/term-dictionary.js';
import { ByteWriter } from '../../src/value/codecs/byte-writer.js';
import { seeded } from '../support/late-engine.js';

function gathered(documents: readonly number[]): PostingBuffer {
  const buffer = new PostingBuffer();
  buffer.reserve(documents.length);
  for (const document of documents) buffer.push(document, (document % 7) % 3 === 0 ? 1 : 2 + (document % 300));
  return buffer;
}

function entries({ documents, occurrences, count }: PostingBuffer): [number, number][] {
  return Array.from({ length: count }, (_, at) => [documents[at] as number, occurrences[at] as number]);
}

/** The list of postings in a segment whose documents have one term more than they have in their number. */
function encoded(postings: PostingBuffer): Uint8Array {
  const documents = 1 + Math.max(...postings.documents.subarray(0, postings.count));
  const { bytes, length } = encodePostings(
    postings,
    Array.from({ length: documents }, (_, at) => at + 1),
  );
  return Uint8Array.from(bytes.subarray(0, length));
}

const every = (step: number, count: number): number[] => Array.from({ length: count }, (_, at) => at * step + 3);

describe('a posting list', () => {
  test.each([
    ['one', [70_000]],
    ['a short one', every(211, LIST_FORMAT.short)],
    ['one of few in each window', every(97, LIST_FORMAT.short + 1)],
    ['one of windows with just so many as are listed', every(8, 2_000)],
    ['one of dense windows', every(3, 5_000)],
    ['one of all documents', every(1, 1_500)],
    ['one with a dense window and others', [...every(1, WINDOW + 50), 1_000, 5_000, 65_535]],
  ])('is read as it was written: %s', (_, documents) => {
    const postings = gathered(documents);
    const bytes = encoded(postings);
    const read = new PostingBuffer();
    addStored({ bytes, at: 0, count: documents.length, format: LIST_FORMAT }, read, undefined);
    expect(entries(read)).toEqual(entries(postings));
    const listed = new PostingBuffer();
    new PostingList(bytes, documents.length).addTo(listed, undefined);
    expect(entries(listed)).toEqual(entries(postings));
  });

  test('is read with other numbers, and without those that are left out', () => {
    const numbers = Int32Array.from({ length: 600 }, (_, at) => (at % 2 === 0 ? -1 : at + 1_000));
    const read = new PostingBuffer();
    const bytes = Uint8Array.of(0, 0, ...encoded(gathered(every(1, 500))));
    addStored({ bytes, at: 2, count: 500, format: LIST_FORMAT }, read, numbers);
    expect(entries(read).map(([document]) => document)).toEqual(
      every(1, 500).flatMap((document) => (document % 2 === 0 ? [] : document + 1_000)),
    );
  });

  test('of an earlier segment has windows from 33 postings on, and numbers in all of them', () => {
    const writer = new ByteWriter();
    writer.begin();
    for (const value of [1, 0, 40, 2, 9, 43]) writer.varint(value);
    for (let document = 0; document < 40; document++) writer.byte(document * 2);
    for (const value of [1, 3, 2]) writer.varint(value);
    const read = new PostingBuffer();
    addStored({ bytes: writer.finish(), at: 0, count: 40, format: EARLIER_LIST_FORMAT }, read, undefined);
    expect(entries(read)).toEqual(Array.from({ length: 40 }, (_, at) => [at * 2, at === 3 ? 2 : 1]));
  });
});

describe('a note', () => {
  const terms = {
    length: 5,
    counts: new Map([
      ['tea', 1],
      ['crème', 3],
      ['東京', 1],
    ]),
  };

  async function termsOf(bytes: Uint8Array): Promise<[string, number][]> {
    const found: [string, number][] = [];
    await forEachNoted(bytes, AT_ONCE, (start, end, count) =>
      found.push([new TextDecoder().decode(bytes.subarray(start, end)), count]),
    );
    return found;
  }

  test('is read as it was written', async () => {
    const { before, after } = readChange(storeChange({ before: undefined, after: await noteTerms(terms, AT_ONCE) }));
    expect(before).toBeUndefined();
    expect(await termsOf(after as Uint8Array)).toEqual([...terms.counts]);
  });

  test('of earlier revisions is read as well', async () => {
    const { before, after } = readChange([
      [2, 2, 'green\0tea', null],
      [5, 3, 'tea\0crème\0東京', Uint8Array.of(1, 3, 1)],
    ]);
    expect(await termsOf(before as Uint8Array)).toEqual([
      ['green', 1],
      ['tea', 1],
    ]);
    expect(after).toEqual(await noteTerms(terms, AT_ONCE));
  });
});

/** 256 texts of 16 units that hash alike: of each two units there are two choices that lead to the same state. */
function sameHashes(): string[] {
  const factor = 0x9e3779b1;
  let hash = 0;
  let texts = [''];
  for (let block = 0; block < 8; block++) {
    const seen = new Map<number, number>();
    for (let unit = 0x100; ; unit++) {
      const state = Math.imul(hash ^ unit, factor);
      const other = seen.get(state >>> 16);
      seen.set(state >>> 16, unit);
      if (other === undefined) continue;
      const second = 0x100 ^ ((state ^ Math.imul(hash ^ other, factor)) & 0xffff);
      const pairs = [String.fromCharCode(unit, 0x100), String.fromCharCode(other, second)];
      texts = texts.flatMap((text) => pairs.map((pair) => text + pair));
      hash = Math.imul(state ^ 0x100, factor);
      break;
    }
  }
  return texts;
}

function unitsOf(text: string): Uint16Array {
  return Uint16Array.from(text, (unit) => unit.charCodeAt(0));
}

function addText(table: SequenceTable, text: string, value: number): void {
  const units = unitsOf(text);
  table.add(units, 0, units.length, hashOf(units, 0, units.length), value);
}

describe('tables of words', () => {
  test('find what was added, however many there are', () => {
    const table = new SequenceTable((length) => new Uint16Array(length));
    const words = Array.from({ length: 5_000 }, (_, at) => `w${at.toString(36)}é`);
    for (const [at, word] of words.entries()) addText(table, word, at + 1);
    const text = unitsOf(`-${words.join('-')}-`);
    const found = (start: number, end: number) => table.valueOf(text, start, end, hashOf(text, start, end));
    let start = 1;
    for (const [at, word] of words.entries()) {
      expect(found(start, start + word.length)).toBe(at + 1);
      expect(found(start, start + word.length + 1)).toBe(0);
      start += word.length + 1;
    }
  });

  test('find words whose hashes are all the same', () => {
    const table = new SequenceTable((length) => new Uint16Array(length));
    const same = sameHashes();
    for (const [at, word] of same.entries()) addText(table, word, at + 1);
    const found = (word: string) => table.valueOf(unitsOf(word), 0, word.length, hashOf(unitsOf(word), 0, word.length));
    expect(new Set(same.map((word) => hashOf(unitsOf(word), 0, word.length))).size).toBe(1);
    expect(same.map(found)).toEqual(same.map((_, at) => at + 1));
    expect(found('none')).toBe(0);
  });

  test('order terms as texts are ordered', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 30 }), (some) => {
        const texts = [
          ...some,
          'tea',
          'teapot',
          'teapots',
          'teapoz',
          '\u{1f600}',
          '\ue000',
          '\uffee',
          '\ud7ff',
          'é',
          'z',
          '',
        ];
        const terms = texts.map((text): TermBytes => {
          const units = new TextEncoder().encode(text);
          return { units, start: 0, end: units.length, head: termHead(units, 0, units.length) };
        });
        for (const [at, a] of texts.entries()) {
          for (const [other, b] of texts.entries()) {
            const order = compareTerms(terms[at] as TermBytes, terms[other] as TermBytes);
            expect(Math.sign(order)).toBe(a < b ? -1 : a > b ? 1 : 0);
          }
        }
        expect(terms.map(termText)).toEqual(texts);
      }),
    );
  });

  test('number terms, and give them back', () => {
    const dictionary = new TermDictionary();
    const terms = ['tea', '', 'crème', '東京', 'a'.repeat(3_000), '😀'];
    expect(terms.map((term) => dictionary.numberOfText(term))).toEqual([0, 1, 2, 3, 4, 5]);
    expect(terms.map((term) => dictionary.numberOfText(term))).toEqual([0, 1, 2, 3, 4, 5]);
    expect(terms.map((_, number) => dictionary.text(number))).toEqual(terms);
    expect(dictionary.find(new TextEncoder().encode('coffee'), 0, 6)).toBe(-1);
  });

  test.each([0, 1, 40, 20_000])('are sorted: %i of them', async (count) => {
    const dictionary = new TermDictionary();
    const draw = seeded(7);
    const begins = ['', 'a', 'teapo', 'teapot', 'teapots of ', '\ue000', '😀'];
    for (let at = 0; at < count; at++) {
      dictionary.numberOfText(`${begins[draw(begins.length)]}${draw(50_000).toString(36)}`);
    }
    const order = new TermOrder(dictionary);
    await order.sort(AT_ONCE);
    const texts = Array.from(order.numbers, (number) => dictionary.text(number));
    expect(texts).toEqual(texts.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
    expect(new Set(order.numbers).size).toBe(dictionary.size);
  });
});
