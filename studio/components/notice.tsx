/** A message in the page: what went wrong, or what there is to know. Errors are announced at once. */
import { Alert } from '@mantine/core';
import { AlertIcon, InfoIcon, XCircleIcon } from '@primer/octicons-react';
import type { ReactNode } from 'react';

interface Properties {
  readonly kind: 'error' | 'warning' | 'information';
  readonly children: ReactNode;
}

const LOOKS = {
  error: { color: 'red', Icon: XCircleIcon },
  warning: { color: 'yellow', Icon: AlertIcon },
  information: { color: 'blue', Icon: InfoIcon },
} as const;

export function Notice({ kind, children }: Properties) {
  const { color, Icon } = LOOKS[kind];
  // Errors of the parser point to their place in a line.
  const isPlaced = typeof children === 'string' && children.includes('\n');
  return (
    <Alert
      color={color}
      icon={<Icon aria-hidden />}
      role={kind === 'error' ? 'alert' : 'status'}
      classNames={{ message: isPlaced ? 'message mono' : 'message' }}
    >
      {children}
    </Alert>
  );
}
