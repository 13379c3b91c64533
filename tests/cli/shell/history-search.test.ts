import { describe, expect, it } from 'vitest';
import { HistorySearch } from '../../../src/cli/shell/history-search.js';

const R = '\x12';
const S = '\x13';
const ENTRIES = ['RETURN 3;', 'SELECT * FROM pet;', 'RETURN 2;', 'SELECT * FROM person;', 'RETURN 1;'];

function searching(...keys: string[]) {
  const search = new HistorySearch(ENTRIES);
  const steps = keys.map((each) => search.type(each));
  return { match: search.match, query: search.query, failed: search.hasFailed, last: steps.at(-1) };
}

describe('a search in the history', () => {
  it.each([
    [['RET'], 'RETURN 3;'],
    [['RET', R], 'RETURN 2;'],
    [['RET', R, R, R, R], 'RETURN 1;'],
    [['RET', R, R, S], 'RETURN 2;'],
    [['RET', S], 'RETURN 3;'],
    [['FROM pe'], 'SELECT * FROM pet;'],
    [['FROM pers'], 'SELECT * FROM person;'],
    [['FROM pers', '\x7f', '\x7f'], 'SELECT * FROM pet;'],
    [['SEL', R, 'ECT'], 'SELECT * FROM person;'],
    [[R], undefined],
    [['x'], undefined],
    [['x', '\x7f'], undefined],
    [['x', '\x7f', 'R'], 'RETURN 3;'],
  ] as [string[], string | undefined][])('%j finds %j', (keys, match) => {
    expect(searching(...keys).match).toBe(match);
  });

  it('says that nothing is found only when something is looked for', () => {
    expect(searching().failed).toBe(false);
    expect(searching('nowhere')).toMatchObject({ failed: true, query: 'nowhere' });
    expect(searching('\u{1f600}', '\x7f')).toMatchObject({ failed: false, query: '' });
  });

  it('ends with what goes to the line, or with what was there before', () => {
    expect(searching('RET\r').last).toEqual({ kind: 'take', rest: '\r' });
    expect(searching('RET', '\x1b[D').last).toEqual({ kind: 'take', rest: '\x1b[D' });
    expect(searching('RET', '\x1b').last).toEqual({ kind: 'take', rest: '' });
    expect(searching('RET', '\x01x').last).toEqual({ kind: 'take', rest: '\x01x' });
    expect(searching('RET\x07abc').last).toEqual({ kind: 'cancel', rest: 'abc' });
    expect(searching('\x03').last).toEqual({ kind: 'cancel', rest: '' });
  });

  it('passes over entries that are the same', () => {
    const search = new HistorySearch(['a', 'a', 'a b']);
    search.type(`a${R}`);
    expect(search.match).toBe('a b');
  });
});
