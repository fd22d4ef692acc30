/** Nothing runs in this process meanwhile, as after SIGSTOP. What others have sent waits in the sockets. */
export function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
