/** A status callback has about twenty parameters. */
export const CALLBACK_PARAMETERS_MAX = 100;

/**
 * Reads the form of a status callback.
 *
 * @returns undefined when it has more parameters than any callback; they are counted before anything is read
 */
export function readCallbackForm(body: string): URLSearchParams | undefined {
  let at = -1;
  for (let parameters = 1; parameters <= CALLBACK_PARAMETERS_MAX; parameters += 1) {
    at = body.indexOf('&', at + 1);
    if (at === -1) return new URLSearchParams(body);
  }
  return undefined;
}
