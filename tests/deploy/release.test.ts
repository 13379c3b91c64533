/** `scripts/release.mjs`: what it makes, that it is the same each time, and that a dry run changes nothing. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { datedChangelog, sectionOf } from '../../scripts/release.mjs';
import { isInTurn, RUNS_ALL } from '../support/runs-all.js';
import { cleanUp, temporaryFolder } from '../support/server-process.js';

afterAll(cleanUp);
const run = promisify(execFile);
const MINUTES = 60_000;
const VERSION = '99.0.0-rc.1';

async function release(...args: readonly string[]): Promise<{ out: string; printed: string }> {
  const out = join(temporaryFolder(), 'release');
  const command = ['scripts/release.mjs', ...args, '--dry-run', '--out', out];
  const { stdout } = await run(process.execPath, command);
  return { out, printed: stdout };
}

interface Bill {
  readonly bomFormat: string;
  readonly metadata: { readonly component: { readonly name: string; readonly version: string } };
  readonly components: readonly { readonly name: string; readonly version: string }[];
}

// In turns with other long tests.
it.skipIf(!isInTurn(0))(
  'packs the version with checksums, notes and a bill of materials, the same each time',
  {
    timeout: 2 * MINUTES,
  },
  async () => {
    const files = ['package.json', 'package-lock.json', 'CHANGELOG.md'];
    const before = files.map((name) => readFileSync(name, 'utf8'));
    const { out, printed } = await release(VERSION, '--date', '2030-01-31');
    if (RUNS_ALL) expect((await release(VERSION, '--date', '2030-01-31')).printed).toBe(printed);
    expect(files.map((name) => readFileSync(name, 'utf8'))).toEqual(before);

    const tarball = `tesseradb-${VERSION}.tgz`;
    const bill = `tesseradb-${VERSION}.cdx.json`;
    expect(readdirSync(out).sort()).toEqual(['NOTES.md', 'SHA256SUMS', bill, tarball].sort());
    expect(readFileSync(join(out, 'SHA256SUMS'), 'utf8')).toBe(printed);
    for (const line of printed.trimEnd().split('\n')) {
      const [sum, name = ''] = line.split('  ');
      expect(
        createHash('sha256')
          .update(readFileSync(join(out, name)))
          .digest('hex'),
      ).toBe(sum);
    }

    const unpacked = temporaryFolder();
    await run('tar', ['-xzf', join(out, tarball), '-C', unpacked]);
    const inPackage = (name: string) => readFileSync(join(unpacked, 'package', name), 'utf8');
    expect(JSON.parse(inPackage('package.json'))).toMatchObject({ name: 'tesseradb', version: VERSION });
    expect(JSON.parse(inPackage('npm-shrinkwrap.json'))).toMatchObject({ version: VERSION });
    expect(inPackage('CHANGELOG.md')).toContain(`## [Unreleased]\n\n## [${VERSION}] - 2030-01-31\n`);
    const { stdout } = await run(process.execPath, [join(unpacked, 'package/dist/bin/tessera.js'), 'version']);
    expect(stdout).toContain(VERSION);

    const { bomFormat, metadata, components } = JSON.parse(readFileSync(join(out, bill), 'utf8')) as Bill;
    expect(bomFormat).toBe('CycloneDX');
    expect(metadata.component).toMatchObject({ name: 'tesseradb', version: VERSION });
    const { dependencies } = JSON.parse(inPackage('package.json')) as { dependencies: Record<string, string> };
    const listed = new Map(components.map(({ name, version }) => [name, version]));
    for (const [name, version] of Object.entries(dependencies)) expect(listed.get(name), name).toBe(version);
    expect(listed.has('typescript')).toBe(false);
  },
);

it.each([
  [[], 'Which version?'],
  [['1.2'], 'Which version?'],
  [['0.1.0'], 'has a section 0.1.0 already'],
  [['1.0.0', '--date', 'today'], 'is not a date'],
])('refuses %j', async (args, message) => {
  await expect(release(...args)).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining(message) as string });
});

it('dates what is unreleased', () => {
  const text = '# Changelog\n\n## [Unreleased]\n\n### Added\n- One.\n\n## [1.0.0] - 2020-01-01\n\n- Zero.\n';
  const dated = datedChangelog(text, '1.1.0', '2021-01-01');
  expect(sectionOf(dated, '1.1.0')).toBe('### Added\n- One.');
  expect(sectionOf(dated, '1.0.0')).toBe('- Zero.');
  expect(() => datedChangelog(dated, '1.2.0', '2022-01-01')).toThrow('nothing under');
});
