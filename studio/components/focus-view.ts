/** Gives the focus to the view, where what had it is gone: otherwise the next Tab would begin at the top of the page. */
export function focusView(): void {
  document.getElementById('view')?.focus();
}
