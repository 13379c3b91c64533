/** A plan as a tree: what each step does, and with EXPLAIN ANALYZE its rows and its time, with bars to compare the steps by. */
import { textOf } from '../../components/value-text.js';
import { figuresOf, highestOf, measured, type Plan, type PlanFigures } from './plan.js';

export function PlanTree({ plan }: { readonly plan: Plan }) {
  return (
    <ul className="plan" aria-label="Plan">
      <PlanStep plan={plan} highest={highestOf(plan)} />
    </ul>
  );
}

interface Properties {
  readonly plan: Plan;
  /** Of all steps. */
  readonly highest: PlanFigures;
}

function PlanStep({ plan, highest }: Properties) {
  const { operator, attributes = {}, children = [] } = plan;
  const { rows, nanoseconds } = figuresOf(plan);
  return (
    <li>
      <strong>{operator}</strong>{' '}
      {Object.entries(attributes).map(([name, value]) => (
        <span key={name} className="attribute">
          {name}: <code>{textOf(value)}</code>
        </span>
      ))}
      <span className="measured">{measured(plan)}</span>
      {plan.metrics !== undefined && (
        <span className="bars" aria-hidden="true">
          <Bar kind="time" part={nanoseconds / highest.nanoseconds} />
          <Bar kind="rows" part={rows / highest.rows} />
        </span>
      )}
      {children.length > 0 && (
        <ul>
          {children.map((child, at) => (
            <PlanStep key={at} plan={child} highest={highest} />
          ))}
        </ul>
      )}
    </li>
  );
}

/** What it stands for is said in words beside it. `part` isn't a number where all is 0. */
function Bar({ kind, part }: { readonly kind: 'time' | 'rows'; readonly part: number }) {
  return <span className={`bar ${kind}`} title={kind} style={{ width: `${Math.round((part || 0) * 100)}%` }} />;
}
