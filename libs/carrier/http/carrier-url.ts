import { bareHost } from '#config/light';
import { CarrierUrlError } from '../smpp/carrier-url.js';
import { HTTP_OPTIONS, type HttpOptions } from './options.js';
import type { HttpCarrierSettings } from './settings.js';

export type HttpEndpoint = Pick<HttpCarrierSettings, 'host' | 'port' | 'systemId' | 'password' | 'tls'> & {
  readonly options: HttpOptions;
};

/**
 * Reads `https://ACCOUNT_SID:AUTH_TOKEN@HOST[:PORT][/PATH][?option=value&...]`; `http://` is for providers on the same
 * machine or network. The query holds options of `HTTP_OPTIONS`. The token may be missing, if it is given in another
 * way. Special characters are percent-encoded.
 *
 * @throws CarrierUrlError saying which part is missing or wrong, without repeating it
 */
export function parseHttpCarrierUrl(text: string): HttpEndpoint {
  if (!URL.canParse(text)) throw new CarrierUrlError('not a carrier URL (https://ACCOUNT_SID:AUTH_TOKEN@HOST)');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new CarrierUrlError('the URL of an HTTP API starts with https:// or http://');
  }
  if (url.username === '') throw new CarrierUrlError('the carrier URL names no account SID (https://SID:TOKEN@HOST)');
  if (url.hash !== '') throw new CarrierUrlError('encode # in the carrier URL as %23');
  const tls = url.protocol === 'https:';
  const port = url.port === '' ? (tls ? 443 : 80) : Number(url.port);
  if (port === 0) throw new CarrierUrlError('the port of the carrier URL must be 1 to 65535');
  return {
    host: bareHost(url.hostname),
    port,
    tls,
    systemId: decode(url.username, 'account SID'),
    password: decode(url.password, 'auth token'),
    options: { ...pathOption(url.pathname), ...queryOptions(url.searchParams) },
  };
}

function pathOption(pathname: string): HttpOptions {
  const path = pathname.replace(/\/+$/, '');
  return path === '' ? {} : (readOption('pathPrefix', path) as HttpOptions);
}

function queryOptions(query: URLSearchParams): HttpOptions {
  const options = [...query].map(([name, value]) => readOption(name, value));
  return Object.assign({}, ...options) as HttpOptions;
}

function readOption(name: string, text: string): Record<string, unknown> {
  const option = HTTP_OPTIONS.find((known) => known.name === name);
  if (option === undefined) {
    const names = HTTP_OPTIONS.map((known) => known.name).join(', ');
    throw new CarrierUrlError(`${JSON.stringify(name)} is no option of a carrier URL; they are ${names}`);
  }
  try {
    return { [name]: option.parse(text) };
  } catch (error) {
    if (error instanceof RangeError) throw new CarrierUrlError(`${name}: ${error.message}`);
    throw error;
  }
}

function decode(part: string, name: string): string {
  try {
    const text = decodeURIComponent(part);
    // RFC 7617 section 2: the user of HTTP Basic has no colon.
    if (/^[\x21-\x7e]*$/.test(text) && !(name === 'account SID' && text.includes(':'))) return text;
  } catch {
    // Falls through to one message for both mistakes.
  }
  throw new CarrierUrlError(`the ${name} of the carrier URL must be plain ASCII, special characters percent-encoded`);
}
