/** What the processor is told by the process that runs it. */
export class DispatchSettings {
  constructor(
    readonly concurrency: number,
    readonly onQueueError: (error: unknown) => void,
    /** A job could not be worked on; its orders are taken over when their lease ends. */
    readonly onJobError: (error: unknown) => void,
  ) {}
}
