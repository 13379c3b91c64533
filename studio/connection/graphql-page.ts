/** Whether the server has the page of GraphQL: it has none where GraphQL is switched off. */

let answer: Promise<boolean> | undefined;

/** Asked once, since it stays as it is until the server ends. */
export function hasGraphqlPage(): Promise<boolean> {
  answer ??= fetch('/graphql', { headers: { accept: 'text/html' }, credentials: 'omit' }).then(
    ({ ok }) => ok,
    () => false,
  );
  return answer;
}
