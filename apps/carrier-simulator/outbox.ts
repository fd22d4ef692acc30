import type { Socket } from 'node:net';

const CONGESTED_OCTETS = 1024 * 1024;

/** Gathers the PDUs of one tick into one write. */
export class Outbox {
  private pdus: Buffer[] = [];
  private isScheduled = false;

  constructor(
    private readonly socket: Socket,
    private readonly beforeWrite: () => void,
    private readonly onCongested: () => void,
  ) {}

  push(pdu: Buffer): void {
    this.pdus.push(pdu);
    if (this.isScheduled) return;
    this.isScheduled = true;
    // After the poll phase: every PDU of a chunk, and every timer that was due with it, shares one write.
    setImmediate(() => {
      this.isScheduled = false;
      this.flush();
    });
  }

  flush(): void {
    if (this.pdus.length === 0) return;
    const [first] = this.pdus;
    const block = this.pdus.length === 1 && first !== undefined ? first : Buffer.concat(this.pdus);
    this.pdus = [];
    if (!this.socket.writable) return;
    this.beforeWrite();
    this.socket.write(block);
    if (this.socket.writableLength > CONGESTED_OCTETS) this.onCongested();
  }
}
