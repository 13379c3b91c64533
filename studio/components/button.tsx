/** A button. It submits nothing unless `type` says so. */
import type { ComponentChildren } from 'preact';

interface Properties {
  readonly children: ComponentChildren;
  /** What it does, where what is in it doesn't say so. */
  readonly label?: string;
  readonly kind?: 'plain' | 'primary' | 'danger' | 'quiet';
  readonly type?: 'button' | 'submit';
  readonly disabled?: boolean;
  readonly pressed?: boolean;
  onClick?(): void;
}

export function Button({ children, label, kind = 'plain', type = 'button', disabled, pressed, onClick }: Properties) {
  return (
    <button
      type={type}
      class={`button ${kind}`}
      disabled={disabled}
      onClick={onClick}
      {...(label !== undefined && { 'aria-label': label, title: label })}
      {...(pressed !== undefined && { 'aria-pressed': pressed })}
    >
      {children}
    </button>
  );
}
