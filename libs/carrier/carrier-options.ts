/** One thing that an operator may say of a carrier of a protocol, beyond what all carriers have. */
export interface CarrierOption {
  /** Its key in the stored options. */
  readonly name: string;
  /** What stands for its value in a command line, e.g. `<text>`; empty where the option is either given or not. */
  readonly value: string;
  /** What it means, its unit, and what holds when it is left out. */
  readonly description: string;
  /**
   * The value from an operator's text (`true` where there is no value).
   *
   * @throws RangeError saying the rule that the text breaks
   */
  readonly parse: (text: string) => unknown;
}
