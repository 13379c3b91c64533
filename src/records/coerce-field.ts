/** Coerces a value to the type of its field, with an error that names field and record. */
import { failure } from '../errors/error.js';
import { CoercionError, coerce } from '../value/coerce.js';
import { toText } from '../value/text/text.js';
import type { RecordId, Value } from '../value/value.js';
import type { PreparedField } from './table.js';

/** The value coerced to the type of a field. @throws TesseraError `field_coercion` */
export function coerceField(field: PreparedField, id: RecordId, value: Value): Value {
  const type = field.definition.type;
  if (type === undefined) return value;
  try {
    return coerce(value, type);
  } catch (error) {
    if (error instanceof CoercionError) {
      throw failure('field_coercion', { field: field.name, id: toText(id), reason: error.message });
    }
    throw error;
  }
}
