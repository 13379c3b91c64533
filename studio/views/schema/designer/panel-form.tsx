/** What is open beside the picture: a form that stages an edit, with the statements that it makes. */
import { ActionIcon, Button, Group, Stack, Text } from '@mantine/core';
import { XIcon } from '@primer/octicons-react';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { focusView } from '../../../components/focus-view.js';

interface Properties {
  readonly title: string;
  /** What is kept will run. */
  readonly statements: readonly string[];
  /** Whether something is missing in the form. */
  readonly isIncomplete: boolean;
  /** Whether it is only shown. */
  readonly isFixed?: boolean;
  readonly children: ReactNode;
  /** What stands below the form. */
  readonly footer?: ReactNode;
  onKeep(): void;
  /** Keeps it and begins the next one, where there can be several. */
  onKeepAndAdd?(): void;
  /** Stages that it be removed; what is new is given up. */
  onRemove?(): void;
  onClose(): void;
}

const FIELDS = 'input:enabled, select:enabled, textarea:enabled';

export function PanelForm(properties: Properties) {
  const {
    title,
    statements,
    isIncomplete,
    isFixed = false,
    footer,
    onKeep,
    onKeepAndAdd,
    onRemove,
    onClose,
  } = properties;
  const id = useId();
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    const { current } = panel;
    (current?.querySelector<HTMLElement>(FIELDS) ?? current)?.focus();
    return () => {
      // Another panel may have the focus by now.
      if (document.activeElement !== document.body && !current?.contains(document.activeElement)) return;
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
      else focusView();
    };
  }, []);
  return (
    <aside
      ref={panel}
      className="panel"
      aria-labelledby={id}
      tabIndex={-1}
      onKeyDownCapture={({ key, target }) => {
        // An open list of suggestions takes Escape for itself.
        const isListOpen = target instanceof Element && target.getAttribute('aria-expanded') === 'true';
        if (key === 'Escape' && !isListOpen) onClose();
      }}
    >
      <Group justify="space-between" wrap="nowrap" mb="xs">
        <h2 id={id}>{title}</h2>
        <ActionIcon aria-label="Close" onClick={onClose}>
          <XIcon />
        </ActionIcon>
      </Group>
      <Stack
        component="form"
        onSubmit={(event) => {
          event.preventDefault();
          onKeep();
        }}
      >
        <fieldset className="fields" disabled={isFixed}>
          <Stack>{properties.children}</Stack>
        </fieldset>
        {!isFixed && statements.length > 0 && !isIncomplete && (
          <section aria-label="Statements">
            <pre>{statements.map((statement) => `${statement};`).join('\n')}</pre>
          </section>
        )}
        {!isFixed && (
          <Group>
            <Button type="submit" variant="filled" disabled={isIncomplete}>
              Keep
            </Button>
            {onKeepAndAdd !== undefined && (
              <Button disabled={isIncomplete} onClick={onKeepAndAdd}>
                Keep and add another
              </Button>
            )}
            {onRemove !== undefined && (
              <Button variant="outline" color="red" onClick={onRemove}>
                Remove
              </Button>
            )}
            <Button onClick={onClose}>Cancel</Button>
            <Text span c="dimmed" size="sm">
              Nothing runs until you save the changes.
            </Text>
          </Group>
        )}
      </Stack>
      {footer}
    </aside>
  );
}
