// What is measured side by side, and what a file for a system has to give: add a line here.
import { pocketBaseFull, pocketBaseNormal } from './pocketbase.mjs';
import { postGraphile } from './postgraphile.mjs';
import { surrealDb } from './surrealdb.mjs';
import { tessera } from './tessera.mjs';

/**
 * @typedef {object} Server  that runs
 * @property {number} port
 * @property {number} ready  milliseconds from its start until its first good answer
 * @property {() => number} processor  microseconds that all its processes and threads have run
 * @property {() => {own: number, files: number}} memory  MiB that all its processes hold, of their own and of files
 * @property {() => Promise<void>} stop
 *
 * @typedef {object} Work  one kind of request
 * @property {(n: number) => Buffer} request  the n-th, as bytes
 * @property {(answer: Buffer | undefined, n: number) => void} check  fails unless the answer is the right one
 *
 * @typedef {object} System
 * @property {string} title
 * @property {(options: object) => void} [use]  the options of the script, before anything else
 * @property {() => string | undefined} lacks  why it can't be had here
 * @property {() => string} version
 * @property {(folder: string) => void | Promise<void>} prepare  what has to be done before its first start
 * @property {(folder: string) => Promise<Server>} start  on what that folder holds
 * @property {(port: number, server: Server) => Promise<string[]>} define  tables, users and tags; a token for each user
 * @property {(notes: object[]) => unknown} bulkOf  notes in the form that `bulk` takes, perhaps as a promise
 * @property {(port: number, bulk: unknown, server: Server) => Promise<void>} bulk  makes them, by the quickest of its usual ways
 * @property {(port: number, server: Server) => Promise<number>} count  how many notes there are
 * @property {(tokens: string[]) => Record<'health' | 'read' | 'list' | 'linked' | 'create' | 'update', Work>} works
 */

/** By the names of `--only`. @type {Record<string, System>} */
export const SYSTEMS = {
  tessera,
  pocketbase: pocketBaseNormal,
  'pocketbase-full': pocketBaseFull,
  postgraphile: postGraphile,
  surrealdb: surrealDb,
};
