/** Metrics of work that no request waits for: rounds, steps of index builds, asynchronous events, mails. */
import { CounterFamily, type Family, FamilyList, HistogramFamily } from './families.js';

/** Metrics of background work: rounds, failures, durations. Kinds of work are fixed names. */
export class BackgroundMetrics {
  readonly #families = new FamilyList();
  readonly #rounds = this.#families.with(
    new HistogramFamily(
      'tessera_background_round_duration_seconds',
      'Time that rounds of background work took, by work and outcome.',
      ['work', 'outcome'],
    ),
  );
  readonly #indexSteps = this.#families.with(
    new CounterFamily(
      'tessera_index_steps_total',
      'Steps of building, folding and deleting indexes, by outcome (ok, conflict).',
      ['outcome'],
    ),
  );
  readonly #events = this.#families.with(
    new CounterFamily(
      'tessera_async_events_total',
      'Asynchronous events that were run, by outcome (ok, retried, lost).',
      ['outcome'],
    ),
  );

  readonly #mails = this.#families.with(
    new CounterFamily(
      'tessera_mails_total',
      'Tries to send a mail and mails that were given up, by outcome (sent, retried, failed, expired).',
      ['outcome'],
    ),
  );

  /** How rounds of one kind of work are counted. */
  rounds(work: string): RoundMeter {
    return (outcome, milliseconds) => this.#rounds.record(milliseconds / 1000, work, outcome);
  }

  readonly indexStep = (outcome: 'ok' | 'conflict'): void => this.#indexSteps.add(outcome);

  readonly event = (outcome: 'ok' | 'retried' | 'lost'): void => this.#events.add(outcome);

  readonly mail = (outcome: 'sent' | 'retried' | 'failed' | 'expired'): void => this.#mails.add(outcome);

  families(): readonly Family[] {
    return this.#families.all;
  }
}

export type RoundMeter = (outcome: 'ok' | 'failed', milliseconds: number) => void;
