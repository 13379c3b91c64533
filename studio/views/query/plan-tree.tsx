/** A plan as a tree: what each step does, and with EXPLAIN ANALYZE its rows and its time. */
import { textOf } from '../../components/value.js';
import { measured, type Plan } from './plan.js';

export function PlanTree({ plan }: { readonly plan: Plan }) {
  return (
    <ul className="plan" aria-label="Plan">
      <PlanStep plan={plan} />
    </ul>
  );
}

function PlanStep({ plan }: { readonly plan: Plan }) {
  const { operator, attributes = {}, children = [] } = plan;
  return (
    <li>
      <strong>{operator}</strong>{' '}
      {Object.entries(attributes).map(([name, value]) => (
        <span key={name} className="attribute">
          {name}: <code>{textOf(value)}</code>
        </span>
      ))}
      <span className="measured">{measured(plan)}</span>
      {children.length > 0 && (
        <ul>
          {children.map((child, at) => (
            <PlanStep key={at} plan={child} />
          ))}
        </ul>
      )}
    </li>
  );
}
