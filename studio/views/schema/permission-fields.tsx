/** Who may do what: FULL, NONE or a condition for each action. */
import { Fieldset } from '@mantine/core';
import { SuggestionField } from '../../components/suggestion-field.js';
import type { Permissions } from '../../connection/statements.js';
import type { Action } from '../../connection/table-parts.js';

interface Properties {
  readonly permissions: Permissions;
  onChange(permissions: Permissions): void;
}

export function PermissionFields({ permissions, onChange }: Properties) {
  return (
    <Fieldset legend="Permissions of record users and guests: FULL, NONE or a condition">
      <div className="pairs">
        {(Object.entries(permissions) as [Action, string][]).map(([action, clause]) => (
          <SuggestionField
            key={action}
            label={`May ${action}`}
            value={clause}
            required
            suggestions={['FULL', 'NONE']}
            onChange={(changed) => onChange({ ...permissions, [action]: changed })}
          />
        ))}
      </div>
    </Fieldset>
  );
}
