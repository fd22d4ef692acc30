/** One option of the carriers of a protocol, beyond the options of all carriers. */
export interface CarrierOption {
  /** Its key in the stored options. */
  readonly name: string;
  /**
   * The placeholder of its value in a command line, e.g. `<text>`; empty for an option without a value. With `<file>` a
   * command line names a file, and `parse` takes what stands in it: the service opens no file that a request names.
   */
  readonly value: string;
  /** What it means, its unit, and its default. */
  readonly description: string;
  /**
   * The value from an operator's text (`true` where there is no value).
   *
   * @throws RangeError saying the rule that the text breaks
   */
  readonly parse: (text: string) => unknown;
}
