/** The compiled read and write of a record, or any other object. */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { ObjectValue } from '../../value/value.js';
import type { ExecutionContext } from './execution-context.js';
import { type JsonWriter, writeStepwise } from './json-writer.js';

/** The writer of one field of an object. `undefined` if the object becomes null. */
export interface FieldPlan extends JsonWriter<ObjectValue> {
  readonly key: string;
  /** Notes the links to fetch. */
  readonly gather?: (parent: ObjectValue, call: ExecutionContext) => void;
}

/** An object type, with the fields that an operation requests. */
export interface RecordPlan extends JsonWriter<ObjectValue> {
  /** The columns that its fields need, beside the id. */
  readonly columns: readonly string[];
  /** Number of fields of each record. */
  readonly weight: number;
  readonly gather?: (row: ObjectValue, call: ExecutionContext) => void;
}

/**
 * The compiled read and write of a record: its fields, the columns they need, and their weight in the limit of
 * complexity.
 */
export function recordPlan(fields: readonly FieldPlan[], names: Iterable<string>, weight: number): RecordPlan {
  const parts = fields.map((field, at) => ({
    ...field,
    prefix: `${at === 0 ? '' : ','}${JSON.stringify(field.key)}:`,
  }));
  const gathering = fields.filter(({ gather }) => gather !== undefined);
  const own = fields.length;
  /** Writes the fields from `at` on, after those whose text there is. */
  const writeFrom = (
    at: number,
    written: string,
    row: ObjectValue,
    call: ExecutionContext,
  ): PromiseOrValue<string | undefined> => {
    let text = written;
    for (let next = at; next < parts.length; next++) {
      const part = parts[next] as (typeof parts)[number];
      const { key, prefix } = part;
      const before = call.failures.length;
      const value = writeStepwise(part, row, call);
      if (value instanceof Promise) {
        return value.then((later) => {
          if (call.failures.length > before) call.locateFailures(before, key);
          return later === undefined ? undefined : writeFrom(next + 1, text + prefix + later, row, call);
        });
      }
      if (call.failures.length > before) call.locateFailures(before, key);
      if (value === undefined) return undefined;
      text += prefix + value;
    }
    return `${text}}`;
  };
  return {
    columns: [...names],
    weight,
    ...(gathering.length > 0 && {
      gather: (row, call) => {
        for (const field of gathering) field.gather?.(row, call);
      },
    }),
    write: (row, call) => {
      call.writes.spend(own);
      let text = '{';
      for (const { key, write, prefix } of parts) {
        const before = call.failures.length;
        const value = write(row, call);
        if (call.failures.length > before) call.locateFailures(before, key);
        if (value === undefined) return undefined;
        text += prefix + value;
      }
      return `${text}}`;
    },
    ...(parts.some(({ writeInSteps }) => writeInSteps !== undefined) && {
      writeInSteps: (row, call) => {
        call.writes.spend(own);
        return writeFrom(0, '{', row, call);
      },
    }),
  };
}
