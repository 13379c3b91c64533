import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { withField } from '../../value/paths.js';
import { type ObjectValue, RecordId } from '../../value/value.js';
import type { Evaluate, Execution, Frame } from '../execution.js';
import type { SourceChange } from './source-change.js';

/** Writes, or deletes where there is no `frame`, the record of a view that stands for a record of its source. */
export function putRow(
  execution: Execution,
  view: string,
  project: Evaluate,
  { id, before }: SourceChange,
  frame: Frame | undefined,
): PromiseOrValue<void> {
  const own = new RecordId(view, id.key);
  if (frame === undefined) return before === undefined ? undefined : execution.writer.put(execution, own, undefined);
  return andThen(project(frame), (row) =>
    execution.writer.put(execution, own, withField(row, 'id', own) as ObjectValue),
  );
}
