/** The host of a URL as a connection takes it: without the brackets that an IPv6 address has there. */
export function bareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}
