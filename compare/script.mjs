// Scripts as steps. `--@use`, `--@session`, `--@signin`, `--@signup` are those of tests/scripts.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @typedef {{ line: string, text?: string, word?: string, rest?: string }} Step */

/** @param {string} line @returns {Step | undefined} */
function directive(line) {
  const found = /^--@(\w+)\s*(.*)$/.exec(line);
  return found === null ? undefined : { line, word: found[1], rest: found[2] };
}

/**
 * The steps of a file of tests/scripts, with the lines between them (comments, blank ones) as they are and without what it expects. A group of
 * statements ends where what it answers is expected; in a file that expects nothing, with a line that ends in `;` outside of brackets.
 * @param {string} source
 * @returns {Generator<Step>}
 */
export function* stepsOfFile(source) {
  const expects = /^--(>|!|ok)/m.test(source);
  /** @type {string[]} */
  let group = [];
  let depth = 0;
  /** A group that fails as a whole may have brackets that nothing closes. */
  let fails = false;
  function* flush() {
    if (group.length > 0) yield { line: group.join('\n'), text: group.join('\n') };
    group = [];
    depth = 0;
    fails = false;
  }
  for (const line of source.split('\n')) {
    const steered = directive(line);
    if (/^--(>|!|ok)/.test(line)) yield* flush();
    else if (steered !== undefined) {
      yield* flush();
      if (steered.word === 'fails') fails = true;
      else yield steered;
    } else if (line.trim() === '' && fails) yield* flush();
    else if (group.length === 0 && /^\s*(--.*)?$/.test(line)) yield { line };
    else {
      group.push(line);
      for (const character of line) depth += '([{'.includes(character) ? 1 : ')]}'.includes(character) ? -1 : 0;
      if (!expects && depth <= 0 && line.trimEnd().endsWith(';')) yield* flush();
    }
  }
  yield* flush();
}

/** The steps of a generated script: each line is one. @param {string} source @returns {Step[]} */
export const stepsOfLines = (source) => source.split('\n').map((line) => directive(line) ?? { line, text: line });

/**
 * What an engine answers: for each text its lines, for each directive what went wrong.
 * @param {{ ask(session: string, text: string): Promise<string[]>, use(session: string, ...path: string[]): Promise<void>,
 *   enter(session: string, method: string, body: unknown): Promise<string[]> }} engine
 * @param {Iterable<Step>} steps
 * @returns {Promise<{ asked: string, lines: string[] }[]>}
 */
export async function answers(engine, steps) {
  const all = [];
  let session = 'owner';
  for (const { line, text, word, rest = '' } of steps) {
    if (text !== undefined) all.push({ asked: text, lines: await engine.ask(session, text) });
    else if (word === 'session') session = rest.trim();
    else if (word === 'use') await engine.use(session, ...rest.split(/\s+/));
    else if (word === 'signin' || word === 'signup')
      all.push({ asked: line, lines: await engine.enter(session, word, JSON.parse(rest)) });
  }
  return all;
}

const WRITTEN = fileURLToPath(new URL('../tests/scripts', import.meta.url));

/** The files of tests/scripts, in the order of their names. @returns {Generator<{ name: string, source: string }>} */
export function* writtenScripts() {
  for (const name of readdirSync(WRITTEN, { recursive: true, encoding: 'utf8' }).sort()) {
    if (name.endsWith('.surql')) yield { name, source: readFileSync(join(WRITTEN, name), 'utf8') };
  }
}
