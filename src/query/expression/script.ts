/** `function($a) { … }`: JavaScript of users, run in a sandbox where the server allows it. */

import { andThen, isPromise, type PromiseOrValue } from '../../base/promise-or-value.js';
import { failure, type TesseraError } from '../../errors/error.js';
import { callFunction } from '../../functions/calls/call.js';
import { findFunction } from '../../functions/registry.js';
import type { ScriptFunction, Statement } from '../../language/ast.js';
import { REQUEST_PARAMS } from '../../language/engine-params.js';
import { parseExpression, parseQuery } from '../../language/parse.js';
import { RECORD_CHANGES } from '../../plan/effects.js';
import { assertEffectsAllowed } from '../../runtime/authorization/views.js';
import { deeper } from '../../runtime/depth.js';
import { type Compiler, type Evaluate, Frame } from '../../runtime/frame.js';
import type { Interrupt } from '../../runtime/interrupt.js';
import { Scope } from '../../runtime/scope.js';
import { ScriptValues, scriptFailure } from '../../runtime/script/wire.js';
import type { HostRequest, ScriptHost, ScriptRunner } from '../../runtime/script-runner.js';
import { type Duration, isArray, isObject, type Value } from '../../value/value.js';
import { weightOf } from '../../value/weight.js';
import { compileList } from './collection.js';
import { ExecutionFunctionContext } from './function-context.js';
import type { InlineCompiler } from './inline-compiler.js';

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

// The interface of scripts to the database: functions, values and statements, with the rights of the caller of the
// script.

/** The statements that a script may run: those that are expressions, too. */
const STATEMENTS: ReadonlySet<Statement['kind']> = new Set(['expression', 'return', 'select', ...RECORD_CHANGES]);

class DatabaseHost implements ScriptHost {
  readonly #frame: Frame;
  readonly #compiler: Compiler;
  readonly #values: ScriptValues;

  constructor(frame: Frame, compiler: Compiler, values: ScriptValues) {
    this.#frame = frame;
    this.#compiler = compiler;
    this.#values = values;
  }

  call(request: HostRequest, input: string, scripts: ScriptRunner, check: () => void): PromiseOrValue<string> {
    const { execution, scope, current, parent } = this.#frame;
    const interrupt = new ScriptCallInterrupt(execution.interrupt, check);
    const services = { ...execution.services, scripts };
    const inner = new Frame({ ...deeper(execution), services, interrupt }, scope, current, parent);
    const answer = this.#requests[request](this.#values.decode(input), inner);
    return andThen(answer, (value) => this.#values.encode(value));
  }

  readonly #requests: Readonly<Record<HostRequest, (input: Value, frame: Frame) => PromiseOrValue<Value>>> = {
    function: (input, { execution }) => {
      const [path, args] = pair(input);
      const row = findFunction(path);
      if (row === undefined) throw failure('function_missing', { name: path });
      if (!isArray(args)) throw scriptFailure('The arguments of a function must be an array');
      return callFunction(row, path, args, new ExecutionFunctionContext(execution));
    },
    value: (input, frame) => {
      const expression = parseExpression(String(input));
      if (expression.kind !== 'param' && expression.kind !== 'idiom') {
        throw scriptFailure('surrealdb.value() takes a parameter or a path');
      }
      return this.#compiler.expression(expression)(frame);
    },
    query: (input, frame) => {
      const [text, variables] = pair(input);
      const { statements } = parseQuery(text);
      const [statement] = statements;
      if (statement === undefined || statements.length > 1 || !STATEMENTS.has(statement.kind)) {
        throw scriptFailure('surrealdb.query() takes one statement that reads or writes records');
      }
      const inner = new Frame(frame.execution, scopeOf(variables, frame.scope), frame.current, frame.parent);
      return this.#compiler.statement(statement)(inner);
    },
  };
}

/** The interrupt for the requests of a script: the statement's, and the end of the script. */
class ScriptCallInterrupt implements Interrupt {
  readonly #statement: Interrupt;
  readonly #check: () => void;

  constructor(statement: Interrupt, check: () => void) {
    this.#statement = statement;
    this.#check = check;
  }

  checkpoint(units?: number): PromiseOrValue<void> {
    this.#check();
    const turn = this.#statement.checkpoint(units);
    return isPromise(turn) ? turn.then(this.#check) : turn;
  }

  check(): void {
    this.#check();
    this.#statement.check();
  }

  within(duration: Duration): Interrupt {
    return new ScriptCallInterrupt(this.#statement.within(duration), this.#check);
  }

  onEnd(callback: (reason: TesseraError) => void): () => void {
    return this.#statement.onEnd(callback);
  }
}

function pair(input: Value): readonly [text: string, other: Value] {
  const [text, other] = isArray(input) ? input : [];
  if (typeof text !== 'string') throw scriptFailure('A text was expected');
  return [text, other];
}

function scopeOf(variables: Value, outer: Scope): Scope {
  const scope = new Scope(outer);
  if (!isObject(variables)) throw scriptFailure('The variables of a query must be an object');
  for (const name of Object.keys(variables)) {
    if (REQUEST_PARAMS.has(name)) throw failure('reserved_variable', { name });
    scope.set(name, variables[name]);
  }
  return scope;
}
