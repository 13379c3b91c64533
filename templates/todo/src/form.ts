/** Forms of one field. */
import type { FormEvent } from 'react';

/** The text of a form's field, which is empty afterwards. */
export function takeText(event: FormEvent<HTMLFormElement>, field: string): string {
  event.preventDefault();
  const text = String(new FormData(event.currentTarget).get(field)).trim();
  event.currentTarget.reset();
  return text;
}
