/** Who makes a change, from where and by which command; stored with each change, without secrets. */
export interface OperatorActor {
  /** A name for people, e.g. `alice`, or `alice (as root)`. */
  readonly operator: string;
  /** The machine that the command ran on. */
  readonly host?: string;
  /** The address of the operator's SSH client. */
  readonly sshClient?: string;
  readonly command?: string;
}
