/** DEFINE API as INFO shows it, and middleware. */
import { quoteString } from '../../value/text/quote.js';
import type { DefineApi, Expression, Handling } from '../ast.js';
import { commentText, head, permissionText } from './definition-clauses.js';
import { clauses, list, type Printer } from './printer.js';

export function defineApiText(node: DefineApi, printer: Printer): string {
  const { mode, name, handling, fallback, actions } = node;
  return `${head('API', mode)} ${typeof name === 'string' ? quoteString(name) : printer.expression(name)}${clauses(
    `FOR any ${handlingText(handling, printer)}`,
    fallback !== undefined && `THEN ${actionText(fallback, printer)}`,
    ...actions.map(
      ({ methods, handling, action }) =>
        `FOR ${methods.join(', ')} ${handlingText(handling, printer)} THEN ${actionText(action, printer)}`,
    ),
    commentText(node, printer),
  )}`;
}

function handlingText({ middleware, permissions }: Handling, printer: Printer): string {
  const around = middlewareText(middleware, printer);
  return `${around === undefined ? '' : `${around} `}PERMISSIONS ${permissionText(permissions, printer)}`;
}

export function middlewareText(middleware: Handling['middleware'], printer: Printer): string | undefined {
  return middleware.length === 0 ? undefined : `MIDDLEWARE ${list(middleware, printer.expression)}`;
}

/** INFO shows a statement without its parentheses. */
function actionText(action: Expression, printer: Printer): string {
  const bare = action.kind === 'subquery' && !printer.secrets;
  return bare ? printer.statement(action.statement) : printer.expression(action);
}
