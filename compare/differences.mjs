// When two answers count as equal, and which differences are known.
import { readFileSync } from 'node:fs';

/**
 * @typedef {object} Known a deliberate difference; what it gives of the patterns must all be found
 * @property {string} reason why it stays
 * @property {string} page where the documentation says so
 * @property {string} words what stands there
 * @property {string} [script] pattern of the family and the name of the script
 * @property {string} [asked] pattern of the statement
 * @property {string} [peer] pattern of the peer's line
 * @property {string} [here] pattern of ours
 * @property {number} [lines] how many lines of the written scripts it covers, where it covers so many that another one would be hidden among them
 */

/** @returns {Known[]} */
export const readKnown = () => JSON.parse(readFileSync(new URL('known-differences.json', import.meta.url), 'utf8'));

const TODAY = new Date().toISOString().slice(0, 10);

/** An answer without what differs from run to run: generated ids, and the time of the run. @param {string} line */
export const normalized = (line) =>
  line
    .replace(/:[a-z0-9]{20}\b/g, ':RANDOM')
    .replace(/u'[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[0-9a-f-]{17}'/g, (text) =>
      text.includes('0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b') ? text : "u'RANDOM'",
    )
    .replace(new RegExp(`d'${TODAY}T[0-9:.]+Z'`, 'g'), "d'NOW'");

/**
 * The difference that is known to be between two lines.
 * @param {readonly Known[]} known
 * @param {{ script: string, asked: string, peer: string, here: string }} difference
 */
export const knownFor = (known, difference) =>
  known.find((one) =>
    /** @type {const} */ (['script', 'asked', 'peer', 'here']).every(
      (part) => one[part] === undefined || new RegExp(one[part], 's').test(difference[part]),
    ),
  );

/**
 * Counts what each entry covers.
 * @param {readonly Known[]} known
 */
export function coverageOf(known) {
  /** @type {Map<Known, number>} */
  const covered = new Map();
  return {
    /** @param {Known} one */
    note: (one) => covered.set(one, (covered.get(one) ?? 0) + 1),
    /** Entries that cover more or less than they say. */
    wrong: () =>
      known
        .map((one) => ({ reason: one.reason, said: one.lines, found: covered.get(one) ?? 0 }))
        .filter(({ said, found }) => said !== undefined && said !== found),
  };
}

/** Snippets of parse errors may suggest more here (docs/reference/compatibility.md); what is wrong is said in the first line. @param {string} peer @param {string} here */
const isSameParseError = (peer, here) =>
  peer.startsWith('--! Parse error: ') && peer.split('\n', 1)[0] === here.split('\n', 1)[0];

/** A text that can't be parsed answers with one line, whatever its statements are. @param {readonly string[]} lines */
const isParseError = ([line = '', ...more]) => more.length === 0 && line.startsWith('--! Parse error: ');

/**
 * Where the answers to one script differ, line by line; texts that only one of the engines can parse as a whole.
 * @param {readonly { asked: string, lines: readonly string[] }[]} here
 * @param {readonly { asked: string, lines: readonly string[] }[]} peer
 */
export function differencesOf(here, peer) {
  return here.flatMap(({ asked, lines: ours }, at) => {
    let lines = ours;
    let theirs = peer[at]?.lines ?? [];
    if (isParseError(lines) !== isParseError(theirs)) [lines, theirs] = [[lines.join('\n')], [theirs.join('\n')]];
    return Array.from({ length: Math.max(lines.length, theirs.length) }, (_, line) => ({
      asked,
      peer: normalized(theirs[line] ?? 'no result'),
      here: normalized(lines[line] ?? 'no result'),
    })).filter((one) => one.peer !== one.here && !isSameParseError(one.peer, one.here));
  });
}
