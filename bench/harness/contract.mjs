/**
 * What workloads and targets are. A workload says what is done, once for each dialect; a target is something that speaks a dialect. All
 * targets that run a workload must give the same answer before any of them is timed.
 *
 * @typedef {Record<string, unknown>} Row  with an `id`, which is a whole number
 *
 * @typedef {object} Table
 * @property {(count: number, record: (table: string, id: number) => unknown) => Row[]} rows  deterministic; `record` makes a link
 * @property {readonly string[]} columns  names of fields besides `id`
 * @property {readonly string[]} [indexes]  fields with an index of their own
 * @property {string} [relates]  what both ends of an edge are, where rows have `in` and `out`
 *
 * @typedef {object} Dataset  what targets hold before workloads run
 * @property {string} name
 * @property {Readonly<Record<string, Table>>} tables
 * @property {number} [most]  rows of `--rows` that it has at most
 * @property {string} [surrealql]  definitions besides those of tables and indexes
 *
 * @typedef {object} Context
 * @property {number} rows  that the dataset was asked for
 * @property {(table: string, id: number) => unknown} record  a record id as the target takes it
 *
 * @typedef {(n: number) => unknown} Operation  the n-th repetition; gives the answer or a promise of it
 *
 * @typedef {object} Workload
 * @property {string} name
 * @property {Dataset} [data]  Default: nothing
 * @property {(n: number, context: Context) => Record<string, unknown>} [variables]  of the n-th repetition, in texts `$name`
 * @property {string | true | ((opened: Opened, context: Context) => Operation)} [surrealql]  what to do, by dialect: a text with variables, or a
 *   function of the opened target
 * @property {string | ((opened: Opened, context: Context) => Operation)} [sql]
 * @property {(opened: Opened, context: Context) => Operation} [lmdb]
 * @property {(opened: Opened, context: Context) => Operation} [plain]
 * @property {string | ((opened: Opened, context: Context) => Operation)} [graphql]
 * @property {(opened: Opened, context: Context) => Operation} [wire]  over the network, of Tessera
 * @property {(opened: Opened, context: Context) => Operation} [bare]  of servers that know their answers
 * @property {(opened: Opened, context: Context) => Operation} [postgres]
 * @property {(opened: Opened, context: Context) => Operation} [graphqlServer]
 * @property {string} [asUser]  what a record user says, where an owner says it in `surrealql`
 * @property {readonly string[]} [only]  names of the targets that run it. Default: all that have one of its dialects
 * @property {(answer: unknown) => unknown} [answer]  picks from an answer (plain data by then) what must be the same everywhere
 * @property {boolean} [unordered]  the order of the answer's rows may differ
 * @property {number} [per]  things that one repetition does; figures are for each of them
 * @property {number} [atOnce]  repetitions under way at the same time. Default: 1
 * @property {number} [most]  repetitions of a round at most
 * @property {(opened: Opened, from: number, count: number, context: Context) => unknown} [before]  before repetitions, not timed
 * @property {(opened: Opened, context: Context) => unknown} [after]  after them, not timed
 * @property {string} [figure]  the figure that tables show. Default: `time`
 * @property {number} [rounds]  rounds at most
 * @property {(opened: Opened, context: Context & {operation: Operation | undefined}) => Promise<Figures> | Figures} [sample]  measures one
 *   round in its own way, for all that isn't time for each repetition
 *
 * @typedef {Record<string, number>} Figures  by the names of `figures.mjs`; durations in nanoseconds
 *
 * @typedef {object} Opened  a target that holds a dataset; targets add what functions of their dialect use
 * @property {(table: string, id: number) => unknown} record
 * @property {(table: string, rows: readonly Row[]) => unknown} load  inserts rows
 * @property {(table: string) => unknown} clear  deletes all rows
 * @property {(text: string, variables: (n: number) => Record<string, unknown>) => Operation} [statement]  runs a text
 * @property {(given: unknown) => unknown} [answer]  what an operation gave as plain data
 * @property {() => Promise<number>} [processor]  microseconds of processor time used so far. Default: those of this process
 * @property {() => unknown} close
 *
 * @typedef {object} Target
 * @property {string} name  `what:where`
 * @property {string} title  as tables call it
 * @property {string} speaks  the dialect, a property of workloads
 * @property {string} keeps  what a write that was answered is safe from
 * @property {readonly string[]} [needs]  packages besides Tessera's own
 * @property {() => string | undefined} [lacks]  what else it lacks here
 * @property {(dataset: Dataset, rows: number) => Promise<Opened>} open  defines and loads the dataset
 */

export {};
