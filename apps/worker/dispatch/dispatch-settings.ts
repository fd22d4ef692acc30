/** What the processor is told by the process that runs it. */
export class DispatchSettings {
  constructor(
    readonly concurrency: number,
    readonly onQueueError: (error: unknown) => void,
  ) {}
}
