import type { CallOptions } from './options.js';
import { type Pages, pagesOf } from './pages.js';
import type { Transport } from './transport.js';
import type {
  ApiKey,
  ApiKeyList,
  CreatedApiKey,
  CreateKeyRequest,
  ListKeysData,
  RenameKeyRequest,
  RotatedApiKey,
  RotateKeyRequest,
} from './types.gen.js';

const PATH = '/v1/account/keys';

/** The API keys of the account. They need a key with the scope `manage`. */
export class Keys {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Keys, newest first; revoked and expired ones as well. */
  list(query?: ListKeysData['query'], options?: CallOptions): Pages<ApiKeyList> {
    return pagesOf(this.#transport, PATH, query, options);
  }

  get(keyId: string, options?: CallOptions): Promise<ApiKey> {
    return this.#transport.get(pathOf(keyId), options);
  }

  /** The answer has the key itself, which is shown only now. */
  create(key: CreateKeyRequest, options?: CallOptions): Promise<CreatedApiKey> {
    return this.#transport.json({ method: 'POST', path: PATH, body: key, isRepeatable: false }, options);
  }

  rename(keyId: string, body: RenameKeyRequest, options?: CallOptions): Promise<ApiKey> {
    return this.#transport.json({ method: 'PATCH', path: pathOf(keyId), body }, options);
  }

  /** Ends a key for good. Revoking it again changes nothing. */
  revoke(keyId: string, options?: CallOptions): Promise<ApiKey> {
    return this.#transport.post(`${pathOf(keyId)}/revoke`, {}, options);
  }

  /** Makes a key like this one, which goes on working for `overlapSeconds`. */
  rotate(keyId: string, body: RotateKeyRequest = {}, options?: CallOptions): Promise<RotatedApiKey> {
    const path = `${pathOf(keyId)}/rotate`;
    return this.#transport.json({ method: 'POST', path, body, isRepeatable: false }, options);
  }
}

function pathOf(keyId: string): string {
  return `${PATH}/${encodeURIComponent(keyId)}`;
}
