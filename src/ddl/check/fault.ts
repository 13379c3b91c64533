/** The faults that a check of a store finds. */

/** The parts of a store, each with advice for its damage. */
export const ADVICE = {
  pages: 'Restore a backup. Until then, start the server on a copy of the folder and export what can still be read',
  values: 'Each of these can’t be read any more, and everything else can. Restore a backup, or export the other tables',
  catalog: 'Define it anew, or restore a backup',
  records: 'Restore a backup, or delete the record and create it anew',
  indexes: 'Run "tessera check --repair-indexes" on the folder',
  edges: 'Delete the edge records that are named, and relate them anew',
  references: 'Set the field of the record that is named to NONE, and then to its value again',
  changes: 'The changefeed can’t be read there. Read it from a later versionstamp on',
  events: 'The event will never run. Repeat by hand what it should have done',
  mails: 'The mail will never be sent. Whoever waits for it has to ask for another one',
} as const satisfies Record<string, string>;

export type CheckedPart = keyof typeof ADVICE;

export interface Fault {
  readonly part: CheckedPart;
  /** The location: a table or an index with its database, a page, a kind of key. */
  readonly place: string;
  readonly what: string;
}

/** Faults of each part beyond these are counted only. */
const LISTED = 100;

/** Collects faults, in bounded memory. */
export class Faults {
  readonly listed: Fault[] = [];
  readonly #counts = new Map<CheckedPart, number>();

  add(part: CheckedPart, place: string, what: string): void {
    const count = this.countOf(part) + 1;
    this.#counts.set(part, count);
    if (count <= LISTED) this.listed.push({ part, place, what });
  }

  /** Adds the faults of another list, those that it only counted as well. */
  addAll(others: Faults): void {
    for (const [part, count] of others.#counts) {
      const listed = others.listed.filter((fault) => fault.part === part);
      for (const { place, what } of listed) this.add(part, place, what);
      this.#counts.set(part, this.countOf(part) + count - listed.length);
    }
  }

  countOf(part: CheckedPart): number {
    return this.#counts.get(part) ?? 0;
  }

  /** The parts with faults, in the order of `ADVICE`. */
  get parts(): CheckedPart[] {
    return (Object.keys(ADVICE) as CheckedPart[]).filter((part) => this.countOf(part) > 0);
  }

  get total(): number {
    return this.parts.reduce((sum, part) => sum + this.countOf(part), 0);
  }
}
