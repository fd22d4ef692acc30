/** Resolves after some turns of the event loop: whatever can run without the outside has run by then. */
export async function turns(count = 4): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
