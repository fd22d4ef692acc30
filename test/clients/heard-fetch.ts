import type { Fetch } from '#client';

export interface HeardRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly redirect: string;
}

/** An answer instead of that of the service, a fault, or the answer of the service, which is then lost on its way. */
export type OwnAnswer = Response | Error | 'lost';

/** A `fetch` for a client that keeps what was asked. It gives these answers first, then those of the service. */
export class HeardFetch {
  readonly requests: HeardRequest[] = [];
  private readonly first: OwnAnswer[];

  constructor(...first: OwnAnswer[]) {
    this.first = first;
  }

  readonly fetch: Fetch = async (url, init) => {
    const { method, headers, body, redirect } = init;
    this.requests.push({ method, url, headers, body, redirect });
    const own = this.first.shift();
    if (own instanceof Response) return own;
    if (own instanceof Error) throw own;
    const answer = await fetch(url, init);
    if (own === 'lost') throw new TypeError('the connection broke after the service had answered');
    return answer;
  };

  forget(): void {
    this.requests.length = 0;
  }
}
