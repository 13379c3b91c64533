/** What styles have to bear that a library adds while the page is open: the page's policy admits no others. */
export const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
