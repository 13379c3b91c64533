// Makes a release: the version in package.json and the lock file, its section in CHANGELOG.md, and a folder with the packed package, its
// checksums, its bill of materials (CycloneDX) and its notes. The same sources and date give the same bytes. Nothing is committed or published.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { npm } from './install.mjs';
import { readOptions } from './options.mjs';
import { shrinkwrapOf } from './shrinkwrap.mjs';

const HELP = `Makes a release: sets its version, dates its section of CHANGELOG.md, builds, and writes a folder with

  tesseradb-VERSION.tgz       the package
  tesseradb-VERSION.cdx.json  its bill of materials, in CycloneDX
  NOTES.md                    its section of the changelog
  SHA256SUMS                  the checksums of these, for "sha256sum --check"

  node scripts/release.mjs VERSION [--date YYYY-MM-DD] [--out FOLDER] [--dry-run]

  --date       the date of the release; today by default
  --out        where the folder is made; release by default
  --dry-run    changes none of the project's files, and packs what was built last, though nothing may be unreleased
  -h, --help   prints this

It commits, tags and publishes nothing; it prints the commands that do.`;

/** The same changelog with what is unreleased under a version. @throws Error where nothing is, unless it may be empty */
export function datedChangelog(text, version, date, mayBeEmpty = false) {
  const heading = '## [Unreleased]\n';
  const [before, after] = text.split(heading);
  if (after === undefined) throw new Error('CHANGELOG.md has no heading "## [Unreleased]"');
  if (text.includes(`## [${version}]`)) throw new Error(`CHANGELOG.md has a section ${version} already`);
  if (!mayBeEmpty && sectionOf(text, 'Unreleased') === '')
    throw new Error('CHANGELOG.md has nothing under "## [Unreleased]"');
  return `${before}${heading}\n## [${version}] - ${date}\n${after}`;
}

/** What the changelog says of a version. */
export function sectionOf(text, version) {
  const [, after = ''] = text.split(`## [${version}]`);
  const [section] = after.replace(/^.*\n/, '').split(/^## \[/m, 1);
  return section.trim();
}

/** A bill of materials that depends on its content alone: its time is that of the release, its number a hash. */
export function reproducibleSbom(sbom, date) {
  const { serialNumber: _, ...rest } = sbom;
  const dated = { ...rest, metadata: { ...rest.metadata, timestamp: `${date}T00:00:00Z` } };
  const hex = createHash('sha256').update(JSON.stringify(dated)).digest('hex');
  // A UUID of version 8: of one's own making (RFC 9562).
  const uuid = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)];
  return { ...dated, serialNumber: `urn:uuid:${uuid.join('-')}` };
}

const read = (path) => readFileSync(path, 'utf8');
const json = (value) => `${JSON.stringify(value, null, 2)}\n`;

/** The files that carry the version, by their names, as they are in the release. */
function versioned(version, date, dryRun) {
  const manifest = { ...JSON.parse(read('package.json')), version };
  const lock = JSON.parse(read('package-lock.json'));
  const dated = { ...lock, version, packages: { ...lock.packages, '': { ...lock.packages[''], version } } };
  return {
    'package.json': json(manifest),
    'package-lock.json': json(dated),
    'CHANGELOG.md': datedChangelog(read('CHANGELOG.md'), version, date, dryRun),
  };
}

/** Packs what is built, with these files in place of the project's; gives the name of the tarball. */
function pack(files, staging, out) {
  const { files: listed, name, version } = JSON.parse(files['package.json']);
  for (const path of listed) {
    if (path !== 'npm-shrinkwrap.json') cpSync(path, join(staging, path), { recursive: true });
  }
  for (const path of ['package.json', 'CHANGELOG.md']) writeFileSync(join(staging, path), files[path]);
  const lock = shrinkwrapOf(JSON.parse(files['package-lock.json']));
  writeFileSync(join(staging, 'npm-shrinkwrap.json'), json(lock));
  execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', out], { cwd: staging });
  return `${name}-${version}.tgz`;
}

/** The bill of materials of what the package needs when it runs. */
function sbom(files, staging, date) {
  const { devDependencies: _, overrides: __, workspaces: ___, ...manifest } = JSON.parse(files['package.json']);
  writeFileSync(join(staging, 'package.json'), json(manifest));
  const args = ['sbom', '--package-lock-only', '--omit=dev', '--sbom-format=cyclonedx'];
  const text = execFileSync('npm', args, { cwd: staging, encoding: 'utf8', maxBuffer: 1 << 26 });
  return json(reproducibleSbom(JSON.parse(text), date));
}

function release(version, { date, out, dryRun }) {
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version ?? '')) throw new Error('Which version? 1.2.3 or 1.2.3-rc.1');
  if (!/^\d{4}-\d\d-\d\d$/.test(date)) throw new Error(`"${date}" is not a date such as 2026-01-31`);
  if (!dryRun && execFileSync('git', ['status', '--porcelain'], { encoding: 'utf8' }) !== '')
    throw new Error('There are changes that are not committed');
  const files = versioned(version, date, dryRun);
  if (!dryRun) {
    for (const [path, text] of Object.entries(files)) writeFileSync(path, text);
    npm('run', 'build');
  }
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const temporary = mkdtempSync(join(tmpdir(), 'tessera-release-'));
  // npm names the package in the bill of materials after its folder.
  const staging = join(temporary, 'tesseradb');
  mkdirSync(staging);
  try {
    const tarball = pack(files, staging, out);
    writeFileSync(join(out, tarball.replace(/\.tgz$/, '.cdx.json')), sbom(files, staging, date));
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  writeFileSync(join(out, 'NOTES.md'), `${sectionOf(files['CHANGELOG.md'], version)}\n`);
  const sums = readdirSync(out)
    .sort()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(out, name)))
          .digest('hex')}  ${name}\n`,
    );
  writeFileSync(join(out, 'SHA256SUMS'), sums.join(''));
  return sums.join('');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values, positionals } = readOptions(HELP, {
    allowPositionals: true,
    options: {
      date: { type: 'string', default: new Date().toISOString().slice(0, 10) },
      out: { type: 'string', default: 'release' },
      'dry-run': { type: 'boolean', default: false },
    },
  });
  const out = resolve(values.out);
  process.chdir(fileURLToPath(new URL('..', import.meta.url)));
  const [version] = positionals;
  try {
    process.stdout.write(release(version, { date: values.date, out, dryRun: values['dry-run'] }));
    if (!values['dry-run'])
      console.log(`
git commit --all --message "Release ${version}" && git tag --annotate v${version} --message "Release ${version}"
npm publish ${join(out, `tesseradb-${version}.tgz`)}`);
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
