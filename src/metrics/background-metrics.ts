import { CounterFamily, type Family, HistogramFamily } from './families.js';

/** What is counted of work in the background. Kinds of work are names of our own. */
export class BackgroundMetrics {
  readonly #rounds = new HistogramFamily({
    name: 'tessera_background_round_duration_seconds',
    help: 'Time that rounds of background work took, by work and outcome.',
    labels: ['work', 'outcome'],
  });
  readonly #indexSteps = new CounterFamily({
    name: 'tessera_index_steps_total',
    help: 'Steps of building, folding and deleting indexes, by outcome (ok, conflict).',
    labels: ['outcome'],
  });
  readonly #events = new CounterFamily({
    name: 'tessera_async_events_total',
    help: 'Asynchronous events that were run, by outcome (ok, retried, lost).',
    labels: ['outcome'],
  });

  /** How rounds of one kind of work are counted. */
  rounds(work: string): RoundMeter {
    return (outcome, milliseconds) => this.#rounds.record(milliseconds / 1000, work, outcome);
  }

  readonly indexStep = (outcome: 'ok' | 'conflict'): void => this.#indexSteps.add(outcome);

  readonly event = (outcome: 'ok' | 'retried' | 'lost'): void => this.#events.add(outcome);

  families(): readonly Family[] {
    return [this.#rounds, this.#indexSteps, this.#events];
  }
}

export type RoundMeter = (outcome: 'ok' | 'failed', milliseconds: number) => void;
