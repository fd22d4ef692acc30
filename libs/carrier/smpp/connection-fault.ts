/** The meaning of connection error codes, for an operator. The code stays beside it, so that it can be searched for. */
const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the carrier refused the connection',
  ENOTFOUND: 'the host name was not found',
  EAI_AGAIN: 'the host name could not be looked up',
  ETIMEDOUT: 'the connection timed out',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ECONNRESET: 'the carrier reset the connection',
  EPIPE: 'the carrier closed the connection',
};

export const CLOSED = 'the carrier closed the connection';

/** An error of a socket, in one plain line. */
export function connectionFault(error: NodeJS.ErrnoException, tls: boolean): string {
  // Where no address of a name was reached, it holds the fault of each.
  const [first = error]: NodeJS.ErrnoException[] = error instanceof AggregateError ? error.errors : [];
  const { code, message, syscall } = first;
  const words = WORDS[code ?? ''];
  // Errors of certificates and of the handshake have a code in Node, but no system call.
  if (tls && syscall === undefined) {
    return words === undefined ? `TLS failed: ${code ?? message}` : `${words} during the TLS handshake`;
  }
  return words === undefined ? (code ?? message) : `${words} (${code})`;
}

/** Whether the error says only that the peer closed the connection. */
export function isClosedByPeer({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ECONNRESET' || code === 'EPIPE';
}
