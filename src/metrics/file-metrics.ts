/** Metrics of the files of buckets: actions, and bytes over HTTP. */
import { CounterFamily, type Family, FamilyList } from './families.js';

export class FileMetrics {
  readonly #families = new FamilyList();
  readonly #actions = this.#families.with(
    new CounterFamily(
      'tessera_file_actions_total',
      'Actions with files, of statements and of transports, by action and outcome (ok, denied, failed).',
      ['action', 'outcome'],
    ),
  );
  readonly #bytes = this.#families.with(
    new CounterFamily(
      'tessera_file_bytes_total',
      'Bytes of files that came and went over HTTP, by direction (in, out), whether or not all of them did.',
      ['direction'],
    ),
  );

  /** `denied` by a rule. */
  action(action: string, outcome: 'ok' | 'denied' | 'failed'): void {
    this.#actions.add(action, outcome);
  }

  /** A piece of a file was received or sent. */
  bytes(direction: 'in' | 'out', count: number): void {
    this.#bytes.addAmount(count, direction);
  }

  families(): readonly Family[] {
    return this.#families.all;
  }
}
