import { countsText } from '../harness/table.js';
import type { Bench } from './bench.js';
import type { Check, PublishedFigure } from './figures.js';

/**
 * Everything that was answered is there, nothing else is, all of it was delivered where that was asked, and the money
 * adds up.
 */
export async function checkRun(bench: Bench, figures: readonly PublishedFigure[]): Promise<Check[]> {
  await bench.service.stopWorker();
  return [
    noUnexpected(figures),
    ...(await storedAsAnswered(bench)),
    ...bench.checks,
    ...(bench.options.verify ? [await ledger(bench)] : []),
  ];
}

function noUnexpected(figures: readonly PublishedFigure[]): Check {
  const faulty = figures.filter((figure) => !figure.isForeign && Object.keys(figure.unexpected).length > 0);
  return {
    name: 'every response was the expected one',
    ok: faulty.length === 0,
    detail: faulty.map((figure) => `${figure.id}: ${countsText(figure.unexpected)}`).join('; '),
  };
}

async function storedAsAnswered(bench: Bench): Promise<Check[]> {
  const checks: Check[] = [];
  for (const [{ name, ids }, answered] of bench.accepted) {
    const stored = await bench.facts.acceptedOf(ids);
    const of = ids.length === 1 ? `account ${name} holds` : `${ids.length} accounts hold`;
    checks.push({
      name: `${of} exactly the messages that were answered with 201`,
      ok: stored === answered,
      detail: `${answered} answered, ${stored} stored`,
    });
  }
  return checks;
}

/** To be asked when nothing of these accounts is under way. */
export async function allDelivered(bench: Bench, ids: readonly string[]): Promise<Check> {
  const states = await bench.facts.statesOf(ids);
  return {
    name: 'every end-to-end message was delivered',
    ok: Object.keys(states).every((state) => state === 'delivered'),
    detail: countsText(states),
  };
}

async function ledger(bench: Bench): Promise<Check> {
  const name = 'smsctl ledger verify is clean';
  try {
    const result = await bench.service.smsctl.run('ledger', 'verify');
    return { name, ok: true, detail: JSON.stringify(result) };
  } catch (error) {
    return { name, ok: false, detail: error instanceof Error ? error.message : String(error) };
  }
}
