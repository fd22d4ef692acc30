import { Injectable } from '@nestjs/common';
import { RouteTable } from '#carrier';
import { Database, listRoutes } from '#persistence';

/** How long routes are used without asking the database; a change by an operator takes effect at once. */
const ROUTES_TRUSTED_MS = 5_000;

/** The routes in memory, because every message looks for its route. */
@Injectable()
export class RouteBook {
  private known: { readonly routes: Promise<RouteTable>; readonly expiresMs: number } | undefined;

  constructor(private readonly database: Database) {}

  routes(): Promise<RouteTable> {
    const nowMs = performance.now();
    if (this.known !== undefined && this.known.expiresMs > nowMs) return this.known.routes;
    const routes = listRoutes(this.database).then((rows) => new RouteTable(rows));
    const reading = { routes, expiresMs: nowMs + ROUTES_TRUSTED_MS };
    this.known = reading;
    routes.catch(() => {
      if (this.known === reading) this.known = undefined;
    });
    return routes;
  }

  forget(): void {
    this.known = undefined;
  }
}
