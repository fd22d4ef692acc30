/** One sample of the text format. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** HTTP Basic with any user name, as a Prometheus sends it. */
export function basic(password: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`prometheus:${password}`).toString('base64')}` };
}

/** What a listener of this machine serves as metrics. */
export async function scrapeText(port: number | undefined, path = '/metrics', password?: string): Promise<string> {
  const headers = password === undefined ? {} : basic(password);
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
  return answer.text();
}

/** The same, sample by sample. */
export async function scrape(port: number | undefined, path = '/metrics', password?: string): Promise<Sample[]> {
  return samplesOf(await scrapeText(port, path, password));
}

function samplesOf(text: string): Sample[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined) return [];
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', word = '']) => [key, word]);
    return [{ name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) }];
  });
}
