import ipaddr from 'ipaddr.js';

/** Ports of receivers on the Internet. */
const PORTS = ['', '443', '8443'];
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');
export const URL_LENGTH_MAX = 2_000;

/**
 * Which addresses webhooks may reach: public ones, and the networks that the operator allows. Without this, a client
 * could have the service send requests into the operator's own network.
 */
export class ReceiverAddresses {
  private readonly allowed: readonly [ipaddr.IPv4 | ipaddr.IPv6, number][];

  /** @param networks addresses and networks with commas between; nothing: none beside public ones */
  constructor(networks = '') {
    this.allowed = networks
      .split(',')
      .filter((one) => one !== '')
      .map((one) => (one.includes('/') ? ipaddr.parseCIDR(one) : wholeAddress(one)));
  }

  /** Whether the operator allows this address, with any port and without TLS. */
  isAllowed(address: string): boolean {
    if (!ipaddr.isValid(address)) return false;
    const found = ipaddr.process(address);
    return this.allowed.some(([network, bits]) => found.kind() === network.kind() && found.match(network, bits));
  }

  /** Whether a connection to this address may carry a webhook. */
  mayReach(address: string, url: URL): boolean {
    if (this.isAllowed(address)) return true;
    return isPublic(address) && isPublicForm(url);
  }

  /**
   * The fault of an address as a client gives it, for people; undefined if there is none. Where a name leads is known
   * only when connecting.
   */
  problemOf(text: unknown): string | undefined {
    if (typeof text !== 'string' || text.length > URL_LENGTH_MAX || !URL.canParse(text)) {
      return `must be an https address of at most ${URL_LENGTH_MAX} characters`;
    }
    // `URL` leaves some of them out, so what is stored would not be what is called.
    if (/[\p{Cc}\p{Cs}]/u.test(text)) return 'must have no control characters';
    const url = new URL(text);
    if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must be an https address';
    if (url.username !== '' || url.password !== '') return 'must have no user name and no password';
    const literal = literalOf(url);
    if (literal === undefined && this.allowed.length > 0) return undefined;
    if (literal !== undefined && this.isAllowed(literal)) return undefined;
    if (!isPublicForm(url)) return 'must be an https address with port 443 or 8443';
    return literal === undefined || this.mayReach(literal, url) ? undefined : 'must be an address of the Internet';
  }
}

/** The IP address that stands in place of a name; `URL` has written it in its usual form. */
export function literalOf({ hostname }: URL): string | undefined {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return ipaddr.isValid(bare) ? bare : undefined;
}

function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const found = ipaddr.process(address);
  // Of IPv6 only 2000::/3 is given out (IANA); the rest has old forms that hold IPv4 addresses.
  return found.range() === 'unicast' && (found.kind() === 'ipv4' || found.match(GLOBAL_IPV6));
}

function isPublicForm({ protocol, port }: URL): boolean {
  return protocol === 'https:' && PORTS.includes(port);
}

function wholeAddress(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  const address = ipaddr.parse(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}
