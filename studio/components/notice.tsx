/** A message: what went wrong, or what there is to know. Errors are announced at once. */
import type { ComponentChildren } from 'preact';

interface Properties {
  readonly kind: 'error' | 'warning' | 'information';
  readonly children: ComponentChildren;
}

export function Notice({ kind, children }: Properties) {
  // Errors of the parser point to their place in a line.
  const manner = typeof children === 'string' && children.includes('\n') ? ' mono' : '';
  return (
    <div class={`notice ${kind}${manner}`} role={kind === 'error' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}

/** Shows that something is being loaded. */
export function Loading({ what = 'Loading' }: { readonly what?: string }) {
  return (
    <p class="loading" role="status">
      {what}…
    </p>
  );
}
