/** Transfers between accounts in rounds, and results by which each shows whether it is of one moment, and a later one. */

const ACCOUNTS = 5;
const EACH = 100;

export const MOMENTS_SCHEMA = `
  DEFINE TABLE account PERMISSIONS FULL; DEFINE TABLE round PERMISSIONS FULL; UPSERT round:1 SET n = 0;
  ${Array.from({ length: ACCOUNTS }, (_, number) => `UPSERT account:${number} SET n = ${EACH}`).join('; ')}`;

/** Rows with `n` and `round`: the sum of `n` is the same, and `round` is one. */
export const MOMENTS = [
  'SELECT id, n, round:1.n AS round FROM account ORDER BY n, id',
  '[{ n: math::sum(SELECT VALUE n FROM account), round: round:1.n }]',
];

export function transfer(random: (below: number) => number): string {
  const [from, to, amount] = [random(ACCOUNTS), random(ACCOUNTS), 1 + random(30)];
  return `BEGIN; UPDATE account:${from} SET n -= ${amount}; UPDATE round:1 SET n += 1;
    UPDATE account:${to} SET n += ${amount}; COMMIT`;
}

interface MomentRow {
  readonly n: number;
  readonly round: number;
}

/** What is wrong with the results that one client has had, in words. */
export class MomentsSeen {
  readonly faults: string[] = [];
  #last = 0;

  see(value: unknown): void {
    const rows = value as readonly MomentRow[];
    const sum = rows.reduce((all, { n }) => all + n, 0);
    const rounds = new Set(rows.map(({ round }) => round));
    const round = Math.max(...rounds);
    if (sum !== ACCOUNTS * EACH || rounds.size !== 1) this.faults.push(`of several moments: ${JSON.stringify(rows)}`);
    if (round < this.#last) this.faults.push(`round ${round} after ${this.#last}`);
    this.#last = round;
  }
}
