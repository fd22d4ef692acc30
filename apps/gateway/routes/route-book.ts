import { Injectable } from '@nestjs/common';
import { RouteTable, type RouteTarget } from '#carrier';
import { Database, listRoutes, type StoredRoute } from '#persistence';

/** How long routes are used without asking the database; a change by an operator takes effect at once. */
const ROUTES_TRUSTED_MS = 5_000;

/** The operator's routes, as a send is checked against them. */
export class Routing {
  private readonly table: RouteTable;

  constructor(routes: readonly StoredRoute[]) {
    this.table = new RouteTable(routes);
  }

  /** The carriers that may take a message to this number; undefined: there are no routes, and every carrier may. */
  targets(destination: string): readonly RouteTarget[] | undefined {
    return this.table.isEmpty ? undefined : (this.table.find(destination)?.targets ?? []);
  }

  /**
   * Whether a carrier may ever take a message to this number. A paused or down carrier may: messages wait for it.
   * Without routes any carrier may, also the first one that an operator adds later.
   */
  serves(destination: string): boolean {
    if (this.table.isEmpty) return true;
    return this.table.find(destination)?.targets.some(({ isCarrierRemoved }) => !isCarrierRemoved) === true;
  }
}

/** The routes in memory, because every message looks for its route. */
@Injectable()
export class RouteBook {
  private known: { readonly routing: Promise<Routing>; readonly expiresMs: number } | undefined;

  constructor(private readonly database: Database) {}

  routing(): Promise<Routing> {
    const nowMs = performance.now();
    if (this.known !== undefined && this.known.expiresMs > nowMs) return this.known.routing;
    const routing = listRoutes(this.database).then((routes) => new Routing(routes));
    const reading = { routing, expiresMs: nowMs + ROUTES_TRUSTED_MS };
    this.known = reading;
    routing.catch(() => {
      if (this.known === reading) this.known = undefined;
    });
    return routing;
  }

  forget(): void {
    this.known = undefined;
  }
}
