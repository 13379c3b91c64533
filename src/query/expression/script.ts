/** `function($a) { … }`: JavaScript of users, run in a sandbox where the server allows it. */
import { andThen } from '../../base/promise-or-value.js';
import { failure } from '../../errors/error.js';
import type { ScriptFunction } from '../../language/ast.js';
import { assertEffectsAllowed } from '../../runtime/authorization/views.js';
import type { Evaluate } from '../../runtime/frame.js';
import { ScriptValues } from '../../runtime/script/wire.js';
import { weightOf } from '../../value/weight.js';
import { compileList } from './collection.js';
import type { InlineCompiler } from './inline-compiler.js';
import { DatabaseHost } from './script-host.js';

export function compileScript({ args, body }: ScriptFunction, compiler: InlineCompiler): Evaluate {
  const evaluate = compileList(args, compiler);
  const { outer } = compiler;
  return (frame) => {
    const {
      services: { scripts },
      request: { memory },
      interrupt,
    } = frame.execution;
    assertEffectsAllowed(frame.execution, 'embedded JavaScript');
    if (scripts === undefined) throw failure('scripting_disabled');
    return andThen(evaluate(frame), async (list) => {
      const values = new ScriptValues(scripts.limits);
      const script = { body, input: values.encode([frame.current, list]) };
      const value = values.decode(await scripts.run(script, new DatabaseHost(frame, outer, values), interrupt));
      return memory.charged(value, weightOf);
    });
  };
}
