// Loaded before everything else (node --import) into a process whose clock is to be wrong. Its timers are right, as on
// a machine whose clock was set wrong.
const offsetMs = Number(process.env.FAULTS_CLOCK_OFFSET_MS ?? 0);
const RightDate = Date;
const now = () => RightDate.now() + offsetMs;

globalThis.Date = new Proxy(RightDate, {
  construct: (target, args: [], newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  apply: () => new RightDate(now()).toString(),
  get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
});
