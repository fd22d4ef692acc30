/** A sample of the Prometheus text format: a name, labels that do not matter here, a value. */
const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{.*\})? (\S+)/;

/** Adds up the samples of that name over all labels; undefined when there is none. */
export function sumSamples(text: string, name: RegExp): number | undefined {
  const values = text.split('\n').flatMap((line) => {
    const [, sample = '', value = ''] = SAMPLE.exec(line) ?? [];
    return name.test(sample) ? [Number(value)] : [];
  });
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0);
}
