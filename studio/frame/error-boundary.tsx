/** Keeps an error of a view from taking the page with it: shows it, with a button that draws the view anew. */
import { Button } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { Notice } from '../components/notice.js';
import { asError } from '../connection/as-error.js';

interface Properties {
  readonly children: ReactNode;
}

interface State {
  readonly error: Error | undefined;
}

export class ErrorBoundary extends Component<Properties, State> {
  override state: State = { error: undefined };

  static getDerivedStateFromError(thrown: unknown): State {
    return { error: asError(thrown) };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <Notice kind="error">
        The view has failed: {error.message}{' '}
        <Button onClick={() => this.setState({ error: undefined })}>Try again</Button>
      </Notice>
    );
  }
}
