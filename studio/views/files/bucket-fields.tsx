/** What the form of a bucket asks for. */
import { CheckboxField, Field, SelectField } from '../../components/field.js';
import { PermissionFields } from '../schema/permission-fields.js';
import { type BucketChoice, type FileAction, RULES, type Rule } from './buckets.js';

interface Properties {
  readonly bucket: BucketChoice;
  /** Whether it is there already, so that its name and where its bytes are stay. */
  readonly isDefined?: boolean;
  onChange(bucket: BucketChoice): void;
}

const OWN = 'Its own';
const RULE_TITLES = {
  ...Object.fromEntries(Object.entries(RULES).map(([rule, { title }]) => [rule, title])),
  own: OWN,
} as Readonly<Record<Rule | 'own', string>>;

export function BucketFields({ bucket, isDefined = false, onChange }: Properties) {
  const change = (changed: Partial<BucketChoice>) => onChange({ ...bucket, ...changed });
  return (
    <>
      <div className="pairs">
        <Field
          label="Name"
          value={bucket.name}
          disabled={isDefined}
          onChange={(name) => change({ name })}
          required={!isDefined}
        />
        <Field
          label="Backend"
          hint={isDefined ? 'Empty: in the store' : 'Empty: in the store; file:/srv/files, s3://…, memory'}
          value={bucket.backend}
          disabled={isDefined}
          onChange={(backend) => change({ backend })}
        />
        <Field
          label="Largest file"
          hint="In bytes; empty: no limit"
          value={bucket.maxSize}
          onChange={(maxSize) => change({ maxSize })}
        />
        <Field
          label="Most files"
          hint="Empty: no limit"
          value={bucket.maxCount}
          onChange={(maxCount) => change({ maxCount })}
        />
        <Field
          label="Types"
          hint="Such as image/*, application/pdf; empty: all"
          value={bucket.types}
          onChange={(types) => change({ types })}
        />
        <Field label="Comment" value={bucket.comment} onChange={(comment) => change({ comment })} />
      </div>
      <CheckboxField
        label="Files can be read, but not changed"
        checked={bucket.isReadonly}
        onChange={(isReadonly) => change({ isReadonly })}
      />
      <SelectField
        label="Record users and guests"
        hint="Who puts a file is its owner"
        value={ruleOf(bucket)}
        options={RULE_TITLES}
        onChange={(rule) => rule !== 'own' && change({ permissions: RULES[rule].permissions })}
      />
      <PermissionFields<FileAction>
        permissions={bucket.permissions}
        conditions={['owner = $auth.id', '$auth.id != NONE']}
        onChange={(permissions) => change({ permissions })}
      />
    </>
  );
}

/** The rule that its permissions are. */
function ruleOf({ permissions }: BucketChoice): Rule | 'own' {
  const text = JSON.stringify(permissions);
  const found = Object.entries(RULES).find(([, rule]) => JSON.stringify(rule.permissions) === text);
  return (found?.[0] as Rule | undefined) ?? 'own';
}
