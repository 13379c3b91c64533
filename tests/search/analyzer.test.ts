/** Analyzers: that long texts yield to other requests, and that every text has terms. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { untilTrue } from '../../src/base/promise-or-value.js';
import { AT_ONCE } from '../../src/base/work/work.js';
import type { AnalyzerFilter, TokenizerName } from '../../src/language/ast.js';
import { Analyzer, type TermAt } from '../../src/search/text/analyzer.js';
import { characterClass, LETTER, OTHER } from '../../src/search/text/characters.js';
import { keptTerms } from '../../src/search/text/document-terms.js';
import { createTokenizer } from '../../src/search/text/tokenizer.js';

const noFiles = (path: string): never => {
  throw new Error(path);
};

function analyzer(tokenizers: readonly TokenizerName[], filters: readonly AnalyzerFilter[]): Analyzer {
  return new Analyzer({ tokenizers, filters }, noFiles);
}

/** The terms of a text with how often others had their turn, and how many terms came between two turns at the most. */
function analyzed(parts: Analyzer, text: string): { terms: TermAt[]; pauses: number; most: number } {
  const terms: TermAt[] = [];
  let pauses = 0;
  let most = 0;
  let since = 0;
  const checkpoint = () => {
    pauses++;
    since = 0;
  };
  // Nothing is waited for.
  void parts.termsAt(text, { checkpoint }, (term) => {
    terms.push(term);
    most = Math.max(most, ++since);
  });
  return { terms, pauses, most };
}

test('a text of 16 MiB is analyzed piece by piece', () => {
  const { terms, pauses, most } = analyzed(
    analyzer(['blank'], [{ kind: 'lowercase' }]),
    'lorem ipsum '.repeat(1_398_102),
  );
  expect(terms.length).toBe(2_796_204);
  expect(pauses).toBeGreaterThan(1_000);
  expect(most).toBeLessThan(5_000);
});

test('a text that becomes many ngrams is analyzed in smaller pieces', () => {
  const { most } = analyzed(
    analyzer(['blank'], [{ kind: 'ngram', min: 1, max: 30 }]),
    `${'a'.repeat(60)} `.repeat(500),
  );
  expect(most).toBeLessThan(20_000);
});

test('a token of 1 MiB is cut into pieces', () => {
  const { terms } = analyzed(analyzer(['blank'], [{ kind: 'snowball', language: 'english' }]), 'x'.repeat(2 ** 20));
  expect(terms.map(({ term }) => term.length)).toEqual(Array.from({ length: 128 }, () => 8_192));
});

test('lone surrogates are part of no token', () => {
  const { terms } = analyzed(analyzer(['blank'], []), 'a\ud800b \udc00 c\udfff');
  expect(terms.map(({ term }) => term)).toEqual(['a', 'b', 'c']);
  expect([0xd800, 0xdfff].map(characterClass)).toEqual([OTHER, OTHER]);
});

const NAMES: readonly TokenizerName[] = ['blank', 'class', 'camel', 'punct', 'segment'];

test('tokens follow one another, and hold all letters of the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.subarray([...NAMES]), (text, tokenizers) => {
      let last = 0;
      let letters = 0;
      const visit = (start: number, end: number) => {
        expect(start).toBeGreaterThanOrEqual(last);
        expect(end).toBeGreaterThan(start);
        last = end;
        letters += lettersOf(text.slice(start, end));
      };
      const tokenizing = createTokenizer({ tokenizers, keepsMarks: false })(text, visit);
      void untilTrue(() => tokenizing.run(3));
      expect(last).toBeLessThanOrEqual(text.length);
      expect(letters).toBe(lettersOf(text));
    }),
  );
});

test('the terms of short texts are counted as they are found', () => {
  const unit = fc.oneof(
    fc.constantFrom('a', 'B', 'ab', ' ', '1', ',', 'É', '東', '😀', '𝒜', '\ud800', 'tea ', 'x'.repeat(70)),
    fc.string({ unit: 'binary', maxLength: 2 }),
  );
  const filters: AnalyzerFilter[] = [
    { kind: 'lowercase' },
    { kind: 'ascii' },
    { kind: 'nfc' },
    { kind: 'snowball', language: 'english' },
    { kind: 'stopwords', language: 'english' },
  ];
  const words = fc.array(fc.array(unit, { maxLength: 30 }), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(words, fc.subarray([...NAMES]), fc.subarray(filters), (texts, tokenizers, chosen) => {
      const counting = analyzer(tokenizers, chosen);
      for (const parts of texts) {
        const text = parts.join('');
        const counts = new Map<string, number>();
        void counting.terms(text, AT_ONCE, (term) => counts.set(term, (counts.get(term) ?? 0) + 1));
        expect(keptTerms(counting.countShort([text])).counts).toEqual(counts);
      }
    }),
  );
});

/** Texts in which words follow one another without blanks, in many of which one begins within another. */
const SCRIPTS = {
  Thai: ['สวัสดีครับ', 'ผมชื่อสมชาย', 'วันนี้อากาศดีมาก', 'เราไปเที่ยวทะเลกันเถอะ', 'ตากลม', 'มากกว่า'],
  Japanese: ['私は昨日友達と一緒に', '東京へ行きました。', '今日は天気がいいですね。', 'データベース'],
  Chinese: ['中华人民共和国', '北京大学生', '研究生命起源', '下雨天留客'],
  English: ['a', 'short ', 'words, ', 'x-ray ', "don't ", '3.5 ', 'word'.repeat(300), ' '],
};

test.each(Object.entries(SCRIPTS))('%s is divided piece by piece as it is as a whole', (_, parts) => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...parts), { minLength: 100, maxLength: 300 }), (some) => {
      const text = some.join('');
      const found: string[] = [];
      const segmenting = createTokenizer({ tokenizers: ['segment'], keepsMarks: true });
      segmenting(text, (start, end) => found.push(text.slice(start, end))).run(text.length);
      const whole = new Intl.Segmenter('en', { granularity: 'word' }).segment(text);
      const letters = [...whole].filter(({ segment }) => /[\p{L}\p{N}]/u.test(segment));
      expect(found).toEqual(letters.map(({ segment }) => segment));
    }),
    { numRuns: 15 },
  );
});

test('segmenting a text pauses often', () => {
  const { pauses } = analyzed(analyzer(['segment'], []), 'a b c '.repeat(4_000));
  expect(pauses).toBeGreaterThanOrEqual(10);
});

function lettersOf(text: string): number {
  return [...text].filter((character) => characterClass(character.codePointAt(0) as number) === LETTER).length;
}

test('the text of a query grows no ngrams', () => {
  const grown = analyzer(['blank'], [{ kind: 'lowercase' }, { kind: 'edgengram', min: 2, max: 3 }]);
  expect(analyzed(grown, 'Hello').terms.map(({ term }) => term)).toEqual(['he', 'hel']);
  expect(analyzed(grown.forQueries, 'Hello').terms.map(({ term }) => term)).toEqual(['hello']);
});

test('a token that becomes many terms takes steps of its own', () => {
  const grams = analyzer(['blank'], [{ kind: 'ngram', min: 1, max: 30 }, { kind: 'lowercase' }]);
  const { terms, pauses } = analyzed(grams, `x ${'Ab'.repeat(2_000)} yz`);
  expect(terms).toHaveLength(1 + (4_000 * 30 - (29 * 30) / 2) + 3);
  expect(terms[0]?.term).toBe('x');
  expect(terms.slice(-3).map(({ term }) => term)).toEqual(['y', 'yz', 'z']);
  // Each term is made once and made lower case once.
  expect(pauses).toBeGreaterThan((2 * 119_565) / 8_192);
  const edges = analyzer([], [{ kind: 'edgengram', min: 2, max: 5_000 }]);
  const made = analyzed(edges, 'é'.repeat(5_000));
  expect(made.terms.map(({ term }) => term.length)).toEqual(Array.from({ length: 4_999 }, (_, at) => at + 2));
});
