/** How a record, or any other object, is read and written. */
import { andThen, forEachInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Pausing } from '../../base/steps.js';
import type { ObjectValue } from '../../value/value.js';
import type { ExecutionContext } from './execution-context.js';

/** How one field of an object is written. `undefined` where the object becomes null. */
export interface FieldPlan {
  readonly key: string;
  /** Notes what has to be fetched. */
  readonly gather?: (parent: ObjectValue, call: ExecutionContext) => void;
  readonly write: (parent: ObjectValue, call: ExecutionContext) => string | undefined;
  /** The same in steps, where there may be long lists in it. */
  readonly writeInSteps?: WriteInSteps;
}

type WriteInSteps = (
  parent: ObjectValue,
  call: ExecutionContext,
  pausing: Pausing,
) => PromiseOrValue<string | undefined>;

/** An object type as far as an operation asks for it. */
export interface RecordPlan {
  /** The columns that its fields need, beside the id. */
  readonly columns: readonly string[];
  /** How many fields each record gives. */
  readonly weight: number;
  readonly gather?: (row: ObjectValue, call: ExecutionContext) => void;
  readonly write: (row: ObjectValue, call: ExecutionContext) => string | undefined;
  /** The same in steps, where there may be long lists in it. */
  readonly writeInSteps?: WriteInSteps;
}

export function recordPlan(fields: readonly FieldPlan[], names: Iterable<string>, weight: number): RecordPlan {
  const parts = fields.map(({ key, write, writeInSteps }, at) => ({
    key,
    write,
    writeInSteps,
    prefix: `${at === 0 ? '' : ','}${JSON.stringify(key)}:`,
  }));
  const gathering = fields.filter(({ gather }) => gather !== undefined);
  const own = fields.length;
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
        if (call.failures.length > before) call.place(before, key);
        if (value === undefined) return undefined;
        text += prefix + value;
      }
      return `${text}}`;
    },
    ...(parts.some(({ writeInSteps }) => writeInSteps !== undefined) && {
      writeInSteps: (row, call, pausing) => {
        call.writes.spend(own);
        let text: string | undefined = '{';
        const written = forEachInOrder(parts, ({ key, write, writeInSteps, prefix }) => {
          const before = call.failures.length;
          return andThen(writeInSteps === undefined ? write(row, call) : writeInSteps(row, call, pausing), (value) => {
            if (call.failures.length > before) call.place(before, key);
            text = value === undefined ? undefined : text + prefix + value;
            return value === undefined;
          });
        });
        return andThen(written, () => text && `${text}}`);
      },
    }),
  };
}
