import { andThen } from '../../base/promise-or-value.js';
import type { Select } from '../../language/ast.js';
import { bindSelect } from '../../plan/bind-select.js';
import { mayWrite } from '../../plan/effects.js';
import { fieldsSelected } from '../../plan/fields-read.js';
import { idsSuffice } from '../../plan/ids-suffice.js';
import { withMatchCalls } from '../../plan/match-calls.js';
import type { Access, RowNode } from '../../plan/nodes.js';
import type { Compiler } from '../../runtime/frame.js';
import { ALL_ROWS } from '../operators/operator.js';
import { OperatorCompiler } from '../operators/operators.js';
import { applyOnlyToSelect } from '../operators/rows/only.js';
import { Prepared } from './prepared.js';
import { compileTimeout } from './timeout.js';
import { compileVersion } from './version.js';

/** SELECT: the rows of its plan, or with ONLY the single one. */
export function planSelect(written: Select, compiler: Compiler): Prepared<RowNode> {
  const select = withMatchCalls(written);
  const { from, where, with: hints, version, timeout } = select;
  return new Prepared(
    {
      targets: from,
      hints: { where, with: hints },
      purpose: 'select',
      fields: fieldsSelected(select),
      writes: mayWrite(select),
      bind: (binding, sources) => bindSelect({ ...select, from: sources }, binding),
      timed: (run) => compileTimeout(timeout, compiler, run, 'strict'),
      readerOf: (tree) => tree,
      compile: (tree, meter, reading) => {
        const ofIds = { ...reading, idsSuffice: (access: Access) => idsSuffice(select, access) };
        const rows = new OperatorCompiler(compiler, ofIds, meter).list(tree);
        return compileVersion(version, compiler, (frame) =>
          andThen(rows(frame, ALL_ROWS), (all) => applyOnlyToSelect(all, select)),
        );
      },
    },
    compiler,
  );
}
