/** Who may do what: FULL, NONE or a condition for each action. */
import { Field } from '../../components/field.js';
import type { Action } from '../../connection/definitions.js';
import type { Permissions } from '../../connection/statements.js';

interface Properties {
  readonly permissions: Permissions;
  onChange(permissions: Permissions): void;
}

export function PermissionFields({ permissions, onChange }: Properties) {
  return (
    <fieldset>
      <legend>Permissions of record users and guests: FULL, NONE or a condition</legend>
      <div class="pairs">
        {(Object.entries(permissions) as [Action, string][]).map(([action, clause]) => (
          <Field
            key={action}
            label={`May ${action}`}
            value={clause}
            required
            suggestions={['FULL', 'NONE']}
            onChange={(changed) => onChange({ ...permissions, [action]: changed })}
          />
        ))}
      </div>
    </fieldset>
  );
}
