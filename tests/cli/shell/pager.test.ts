import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { isLongerThan, page, pagerOf } from '../../../src/cli/shell/pager.js';

const folder = mkdtempSync(join(tmpdir(), 'tessera-pager-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the pager', () => {
  it('is what PAGER names, or less', () => {
    expect(pagerOf({})).toEqual({ command: 'less', args: ['-R'], shell: false });
    expect(pagerOf({ PAGER: 'more -d' })).toEqual({ command: 'more -d', args: [], shell: true });
    expect(pagerOf({ PAGER: '' })).toBeUndefined();
    expect(pagerOf({ PAGER: 'cat' })).toBeUndefined();
  });

  it('gets the text, and may be left early', async () => {
    const file = join(folder, 'paged');
    expect(await page('a\nb', { command: `cat > ${file}`, args: [], shell: true }, process.env)).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe('a\nb\n');
    const long = 'x'.repeat(1_000_000);
    expect(await page(long, { command: 'true', args: [], shell: true }, process.env)).toBe(true);
  });

  it('shows nothing where there is no such program', async () => {
    const before = process.listenerCount('SIGINT');
    expect(await page('a', { command: '/nowhere/less', args: [], shell: false }, process.env)).toBe(false);
    expect(await page('a', { command: '/nowhere/less 2>&-', args: [], shell: true }, process.env)).toBe(false);
    expect(process.listenerCount('SIGINT')).toBe(before);
  });

  it.each([
    ['a', 2, 80, false],
    ['a\nb', 2, 80, true],
    ['a\nb', 3, 80, false],
    ['x'.repeat(160), 3, 80, false],
    ['x'.repeat(161), 3, 80, true],
    [`\x1b[32m${'x'.repeat(80)}\x1b[0m`, 2, 80, false],
    ['漢'.repeat(41), 2, 80, true],
  ])('%j in %d rows of %d columns: %s', (text, rows, columns, longer) => {
    expect(isLongerThan(text, rows, columns)).toBe(longer);
  });
});
