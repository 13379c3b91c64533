import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Execution } from '../../runtime/execution.js';
import type { Evaluate, Frame } from '../../runtime/frame.js';
import { withField } from '../../value/paths.js';
import { type ObjectValue, RecordId } from '../../value/value.js';
import type { SourceRecord, ViewRecords } from './view-records.js';

/** The records of a view without GROUP: each corresponds to a record of a source, under the same key. */
export class RowView implements ViewRecords {
  readonly #execution: Execution;
  readonly #view: string;
  readonly #project: Evaluate;

  constructor(execution: Execution, view: string, project: Evaluate) {
    this.#execution = execution;
    this.#view = view;
    this.#project = project;
  }

  replace({ id, before }: SourceRecord, frame: Frame | undefined): PromiseOrValue<void> {
    const execution = this.#execution;
    const own = new RecordId(this.#view, id.key);
    if (frame === undefined)
      return before === undefined ? undefined : execution.services.writer.put(execution, own, undefined);
    return andThen(this.#project(frame), (row) =>
      execution.services.writer.put(execution, own, withField(row, 'id', own) as ObjectValue),
    );
  }

  finish(): undefined {
    return undefined;
  }
}
