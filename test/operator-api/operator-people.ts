import { generate } from 'otplib';
import { addOperator, type OperatorRole } from '#persistence';
import { TestGateway } from '../support/gateway.js';
import { OperatorBrowser } from '../support/operator-api.js';

const STEP_SECONDS = 30;
const OWN_PASSWORD = 'a password of my own';

/** A person with a browser. */
export interface TestPerson {
  readonly name: string;
  readonly password: string;
  readonly browser: OperatorBrowser;
}

/** The people of a spec, who use the console of one gateway. */
export class TestPeople {
  private readonly browsers: OperatorBrowser[] = [];
  private added = 0;

  private constructor(readonly gateway: TestGateway) {}

  static async start(): Promise<TestPeople> {
    return new TestPeople(await TestGateway.start({ settings: { TRUSTED_PROXIES: '127.0.0.1' } }));
  }

  browser(): OperatorBrowser {
    const one = new OperatorBrowser(this.gateway);
    this.browsers.push(one);
    return one;
  }

  /** A person who has just been added. */
  async newcomer(role: OperatorRole): Promise<TestPerson> {
    this.added += 1;
    const name = `${role}-${this.added}`;
    const { password } = await addOperator(this.gateway.database, name, role);
    return { name, password, browser: this.browser() };
  }

  /** A person who has chosen a password, and is signed in. */
  async signedIn(role: OperatorRole): Promise<TestPerson> {
    const person = await this.newcomer(role);
    await person.browser.signIn(person.name, person.password);
    await person.browser.api.put('/api/me/password', { password: person.password, newPassword: OWN_PASSWORD });
    return { ...person, password: OWN_PASSWORD };
  }

  /** Gives a person a second factor. Returns its secret, the code that was used for it, and the recovery codes. */
  async enrol({ browser: { api } }: TestPerson): Promise<{ secret: string; used: string; recoveryCodes: string[] }> {
    const { secret } = (await api.post('/api/me/second-factor')).as<{ secret: string }>();
    const used = await codeOf(secret);
    const enabled = await api.put('/api/me/second-factor', { code: used });
    return { secret, used, recoveryCodes: enabled.as<{ recoveryCodes: string[] }>().recoveryCodes };
  }

  /** Time passes for a person: everything that was so is longer ago. */
  async letPass(name: string, time: string): Promise<void> {
    await this.gateway.database.query(
      `update operator_session s
          set last_seen_at = s.last_seen_at - $2::interval, confirmed_at = s.confirmed_at - $2::interval,
              started_at = s.started_at - $2::interval, expires_at = s.expires_at - $2::interval
         from operator o where o.operator_id = s.operator_id and o.name = $1`,
      [name, time],
    );
    await this.gateway.database.query(
      `update operator set locked_until = locked_until - $2::interval, totp_step = totp_step - extract(epoch from $2::interval) / 30
        where name = $1`,
      [name, time],
    );
  }

  async close(): Promise<void> {
    for (const { api } of this.browsers) api.close();
    await this.gateway.close();
  }
}

/** The code that the device shows, so many steps from now. */
export function codeOf(secret: string, steps = 0): Promise<string> {
  return generate({ secret, epoch: Math.floor(Date.now() / 1_000) + steps * STEP_SECONDS });
}
