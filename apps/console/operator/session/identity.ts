/** What a person gives once more before money, roles or a hold are changed. */
export type Factor = 'code' | 'password';

interface Question {
  readonly by: Factor;
  readonly answer: (isGiven: boolean) => void;
}

let question: Question | undefined;
const listeners = new Set<() => void>();

/** The question for the second factor. The dialog (`confirm-identity.tsx`) shows and answers it. */
export const identity = {
  read: (): Question | undefined => question,
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  /** Resolves when the person has given it (true) or does not want to. */
  ask: (by: Factor): Promise<boolean> =>
    new Promise((resolve) => {
      question?.answer(false);
      set({
        by,
        answer: (isGiven) => {
          set(undefined);
          resolve(isGiven);
        },
      });
    }),
};

function set(next: Question | undefined): void {
  question = next;
  for (const listener of listeners) listener();
}
