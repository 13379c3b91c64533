/** Semantic versions (semver.org 2.0.0) with numbers that are ints. */
import { MAX_INT } from '../../value/number.js';
import { compareStrings } from '../../value/order.js';

export interface Version {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  /** Without the hyphen; empty if there is none. */
  readonly prerelease: string;
  /** Without the plus; empty if there is none. */
  readonly build: string;
}

const NUMBER = '(0|[1-9][0-9]{0,18})';
const PRERELEASE = '(?:0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)';
const VERSION = new RegExp(
  `^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-(${PRERELEASE}(?:\\.${PRERELEASE})*))?(?:\\+([0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*))?$`,
);
const MAX_TEXT = 1024;

/** Reads `1.2.3-alpha.1+build.5`; `undefined` if it isn't one. */
export function parseVersion(text: string): Version | undefined {
  const match = text.length > MAX_TEXT ? null : VERSION.exec(text);
  if (match === null) return undefined;
  const [major, minor, patch] = match.slice(1, 4).map(BigInt) as [bigint, bigint, bigint];
  if (major > MAX_INT || minor > MAX_INT || patch > MAX_INT) return undefined;
  return { major, minor, patch, prerelease: match[4] ?? '', build: match[5] ?? '' };
}

export function formatVersion({ major, minor, patch, prerelease, build }: Version): string {
  return `${major}.${minor}.${patch}${prerelease && `-${prerelease}`}${build && `+${build}`}`;
}

/** −1, 0 or 1. Builds decide between versions that are equal by the standard, so that the order is total. */
export function compareVersions(a: Version, b: Version): number {
  const order =
    compareNumbers(a.major, b.major) ||
    compareNumbers(a.minor, b.minor) ||
    compareNumbers(a.patch, b.patch) ||
    // A version without a prerelease comes after those with one, but one without a build before those with one.
    Number(a.prerelease === '') - Number(b.prerelease === '') ||
    compareIdentifiers(a.prerelease, b.prerelease) ||
    compareIdentifiers(a.build, b.build);
  return Math.sign(order);
}

function compareNumbers(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Part by part: numbers by value and before words, a longer list after its beginning. */
function compareIdentifiers(a: string, b: string): number {
  const left = a === '' ? [] : a.split('../string');
  const right = b === '' ? [] : b.split('../string');
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const order = compareIdentifier(left[index] as string, right[index] as string);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function compareIdentifier(a: string, b: string): number {
  const number = /^\d+$/;
  if (!number.test(a) || !number.test(b))
    return Number(number.test(b)) - Number(number.test(a)) || compareStrings(a, b);
  return compareNumbers(BigInt(a), BigInt(b)) || a.length - b.length;
}
