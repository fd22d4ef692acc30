import { setNonce } from 'get-nonce';

/** The nonce of this page, without which the policy of the gateway drops the styles that Mantine makes. */
export const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

// Scroll locks of dialogs make a style of their own, and ask another package for it.
setNonce(nonce);
