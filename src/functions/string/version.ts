/** `string::semver::*`: comparing and changing semantic versions. */
import { MAX_INT } from '../../value/number.js';
import { int } from '../../value/value.js';
import { invalidArguments } from '../calls/arguments.js';
import type { FunctionRow } from '../calls/contract.js';
import { define } from '../calls/define.js';
import { integer, text } from '../calls/parameters.js';
import { compareVersions, formatVersion, parseVersion, type Version } from './semver.js';

type Part = 'major' | 'minor' | 'patch';

function versionOf(name: string, version: string, side?: 'left' | 'right'): Version {
  const parsed = parseVersion(version);
  if (parsed !== undefined) return parsed;
  throw invalidArguments(name, `Invalid semantic version${side === undefined ? '' : ` string for ${side} argument`}`);
}

function withPart(name: string, version: Version, part: Part, value: bigint): string {
  if (value < 0n || value > MAX_INT) throw invalidArguments(name, 'Invalid semantic version');
  return formatVersion({ ...version, [part]: value });
}

/** The parts reset when a part is incremented. */
const LOWER: Readonly<Record<Part, Partial<Version>>> = {
  major: { minor: 0n, patch: 0n },
  minor: { patch: 0n },
  patch: {},
};

const partFunctions = (part: Part): readonly FunctionRow[] => [
  define(`string::semver::${part}`, [text('version')], 'int', `The ${part} number of a semantic version.`, (version) =>
    int(versionOf(`string::semver::${part}`, version)[part]),
  ),
  define(
    `string::semver::inc::${part}`,
    [text('version')],
    'string',
    `Raises the ${part} number of a semantic version by one.`,
    (text) => {
      const version = versionOf(`string::semver::inc::${part}`, text);
      return withPart(`string::semver::inc::${part}`, { ...version, ...LOWER[part] }, part, version[part] + 1n);
    },
  ),
  define(
    `string::semver::set::${part}`,
    [text('version'), integer('number')],
    'string',
    `Sets the ${part} number of a semantic version.`,
    (version, number) => {
      const name = `string::semver::set::${part}`;
      return withPart(name, versionOf(name, version), part, BigInt(number));
    },
  ),
];

export const versionFunctions: readonly FunctionRow[] = [
  define(
    'string::semver::compare',
    [text('a'), text('b')],
    'int',
    'Compares semantic versions: -1 if the first is lower, 1 if it is higher, 0 if they are equal.',
    (a, b) =>
      compareVersions(
        versionOf('string::semver::compare', a, 'left'),
        versionOf('string::semver::compare', b, 'right'),
      ),
  ),
  ...partFunctions('major'),
  ...partFunctions('minor'),
  ...partFunctions('patch'),
];
