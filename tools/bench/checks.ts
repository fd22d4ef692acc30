import type { Bench } from './bench.js';
import type { PublishedFigure } from './figures.js';
import { countsText } from './report-table.js';

/** Something that has to be so, or the figures are worth nothing. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** Everything that was answered is there, nothing else is, all of it was delivered where that was asked, and the money adds up. */
export async function checkRun(bench: Bench, figures: readonly PublishedFigure[]): Promise<Check[]> {
  await bench.service.stopWorker();
  return [
    noUnexpected(figures),
    ...(await storedAsAnswered(bench)),
    ...(bench.acceptedByAccount().has(bench.accounts.e2e) ? [await allDelivered(bench)] : []),
    ...(bench.options.isVerified ? [await ledger(bench)] : []),
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
  for (const [account, answered] of bench.acceptedByAccount()) {
    const stored = await bench.database.acceptedOf(account.accountId);
    checks.push({
      name: `account ${account.name} holds exactly the messages that were answered with 201`,
      ok: stored === answered,
      detail: `${answered} answered, ${stored} stored`,
    });
  }
  return checks;
}

async function allDelivered(bench: Bench): Promise<Check> {
  const states = await bench.database.statesOf(bench.accounts.e2e.accountId);
  const others = Object.keys(states).filter((state) => state !== 'delivered');
  return {
    name: 'every end-to-end message was delivered',
    ok: others.length === 0,
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
