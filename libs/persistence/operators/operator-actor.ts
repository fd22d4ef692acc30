/** Who changes something, from where and by which command; stored with each change. Without secrets. */
export interface OperatorActor {
  /** A name for people, e.g. `alice`, or `alice (as root)`. */
  readonly operator: string;
  /** The machine that the command ran on. */
  readonly host?: string;
  /** Where the operator's SSH session came from. */
  readonly sshClient?: string;
  readonly command?: string;
}
