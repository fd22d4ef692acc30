/** Who makes a change, from where and by which command; stored with each change, without secrets. */
export interface OperatorActor {
  /** A name for people, e.g. `alice`, `alice (as root)`, or the id of the key with which an owner changes its keys. */
  readonly operator: string;
  /** The machine that the command ran on. */
  readonly host?: string;
  /** The address of the operator's SSH client. */
  readonly sshClient?: string;
  /** The address of a client of the API. */
  readonly apiClient?: string;
  readonly command?: string;
}
