/** Who may do what: FULL, NONE or a condition for each action. */
import { Fieldset } from '@mantine/core';
import { SuggestionField } from '../../components/suggestion-field.js';
import type { Permissions } from '../../connection/statements.js';

interface Properties<Action extends string> {
  readonly permissions: Permissions<Action>;
  /** Conditions that are offered beside FULL and NONE. */
  readonly conditions?: readonly string[];
  onChange(permissions: Permissions<Action>): void;
}

export function PermissionFields<Action extends string>(properties: Properties<Action>) {
  const { permissions, conditions = [], onChange } = properties;
  return (
    <Fieldset legend="Permissions of record users and guests: FULL, NONE or a condition">
      <div className="pairs">
        {(Object.entries(permissions) as [Action, string][]).map(([action, clause]) => (
          <SuggestionField
            key={action}
            label={`May ${action}`}
            value={clause}
            required
            suggestions={['FULL', 'NONE', ...conditions]}
            onChange={(changed) => onChange({ ...permissions, [action]: changed })}
          />
        ))}
      </div>
    </Fieldset>
  );
}
