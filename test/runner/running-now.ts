import asyncHooks from 'node:async_hooks';

const NAME = 'AsyncLocalStorage';

/**
 * What jest-circus needs of an `AsyncLocalStorage`, to know whose an error is that nobody awaited. Specs here run their
 * tests one after the other, so the answer is what runs now, and a variable tells it.
 *
 * A real one makes Node call a hook for each promise of the process, and copies its value from promise to promise. Each
 * spec would add one more, since each gets a jest-circus of its own: at the end of the suite a tenth of the processor's
 * time went into seventy of them. The service itself runs without any.
 */
export class RunningNow<Context> {
  private context: Context | undefined;

  getStore(): Context | undefined {
    return this.context;
  }

  run<Result>(context: Context, work: () => Promise<Result>): Promise<Result> {
    const around = this.context;
    this.context = context;
    return work().finally(() => {
      this.context = around;
    });
  }
}

/** Loads a module that makes a `RunningNow` where it asks for an `AsyncLocalStorage`. */
export function loadWithRunningNow<Module>(load: () => Module): Module {
  // A value in Node 20, a getter since Node 22.
  const original = Object.getOwnPropertyDescriptor(asyncHooks, NAME) ?? {};
  Object.defineProperty(asyncHooks, NAME, { value: RunningNow, configurable: true });
  try {
    return load();
  } finally {
    Object.defineProperty(asyncHooks, NAME, original);
  }
}
