import { Type } from '@sinclair/typebox';
import { routeAdd, routeList, routePreview, routeRemove, routeReplace, routeSet, routeTest } from '#operations';
import { type Endpoint, endpoint } from '../endpoint.js';
import { CarrierName, Currency, Money, Named, NOTES, nullable, PREFIX, Revision, Word } from '../shapes.js';

const Rank = Type.Integer({
  minimum: 1,
  maximum: 100,
  description: '1 is tried first, the next while no carrier before it takes messages.',
});
const Weight = Type.Integer({
  minimum: 1,
  maximum: 1_000,
  description: 'Its share among the carriers of its rank.',
});
const Cost = Money("The carrier's price of a segment; it does not influence the choice.");
const PLACE = { prefix: PREFIX, carrier: CarrierName };
/** Of a single change: an empty prefix is a variable of a script that is not set. */
const WrittenPrefix = {
  ...PREFIX,
  minLength: 1,
  description: 'Digits, or `*`: every number that no other route is for.',
};
/** Without defaults: what a change leaves out stays. */
const WISHES = {
  rank: Type.Optional(Rank),
  weight: Type.Optional(Weight),
  cost: Type.Optional(Cost),
  currency: Type.Optional(Currency),
};
const NEW_ROUTE = {
  ...PLACE,
  ...WISHES,
  rank: Type.Optional({ ...Rank, default: 1 }),
  weight: Type.Optional({ ...Weight, default: 1 }),
};
const Route = Named(
  'Route',
  Type.Object({
    ...PLACE,
    rank: Rank,
    weight: Weight,
    cost: nullable(Cost),
    currency: nullable(Currency),
    carrierState: Word(['in use', 'paused', 'removed'], 'Of its carrier.'),
  }),
);
const RoutesChanged = Named('RoutesChanged', Type.Object({ routes: Type.Array(Route), notes: NOTES }));
const AllRoutes = Type.Object({ routes: Type.Array(Type.Object(NEW_ROUTE), { maxItems: 1_000 }) });
const Replacement = Named(
  'RoutesReplaced',
  Type.Object({
    routes: Type.Array(Route),
    notes: NOTES,
    added: Type.Integer(),
    removed: Type.Integer(),
    changed: Type.Integer(),
    pricedWithoutRoute: Type.Array(Type.String(), {
      description: 'Prefixes of the price lists in use that have no route: sends to them are refused.',
      examples: [['49']],
    }),
    revision: Revision('Of the routes before.'),
  }),
);

export const ROUTE_ENDPOINTS: readonly Endpoint[] = [
  endpoint({
    useCase: 'route.list',
    method: 'GET',
    path: '/routes',
    summary: 'Lists the routes',
    description: 'Without routes any carrier takes any message; simulators only where there is no other.',
    answer: Type.Array(Route),
    run: routeList,
  }),
  endpoint({
    useCase: 'route.add',
    method: 'POST',
    path: '/routes',
    summary: 'Sends the numbers of a prefix to a carrier',
    body: Type.Object({
      ...NEW_ROUTE,
      prefix: WrittenPrefix,
      onlyThis: Type.Optional(
        Type.Boolean({ description: 'Accept that numbers of other prefixes then have no route and are refused.' }),
      ),
    }),
    answer: RoutesChanged,
    status: 201,
    run: routeAdd,
  }),
  endpoint({
    useCase: 'route.set',
    method: 'PATCH',
    path: '/routes',
    summary: 'Changes rank, weight or cost of a route',
    body: Type.Object({ ...PLACE, ...WISHES, prefix: WrittenPrefix, cost: Type.Optional(nullable(Cost)) }),
    answer: RoutesChanged,
    run: routeSet,
  }),
  endpoint({
    useCase: 'route.remove',
    method: 'DELETE',
    path: '/routes',
    summary: 'Removes the routes of a prefix, or only the one to a carrier',
    query: Type.Object({ prefix: WrittenPrefix, carrier: Type.Optional(CarrierName) }),
    answer: Type.Object({ removed: Type.Integer(), notes: NOTES }),
    run: routeRemove,
  }),
  endpoint({
    useCase: 'route.replace',
    method: 'PUT',
    path: '/routes',
    summary: 'Replaces all routes at once',
    body: Type.Object({
      ...AllRoutes.properties,
      revision: Type.Optional(
        Revision('Of a preview: if the routes have been changed since, nothing is replaced (409 `not_possible`).'),
      ),
    }),
    answer: Replacement,
    bodyBytesMax: 256 * 1024,
    run: routeReplace,
  }),
  endpoint({
    useCase: 'route.preview',
    method: 'POST',
    path: '/routes/preview',
    summary: 'What a replacement of all routes would mean; nothing is changed',
    body: AllRoutes,
    answer: Replacement,
    bodyBytesMax: 256 * 1024,
    run: routePreview,
  }),
  endpoint({
    useCase: 'route.test',
    method: 'GET',
    path: '/routes/test',
    summary: 'The carriers that a number would go to, in order',
    query: Type.Object({ number: Type.String({ minLength: 1, maxLength: 40, examples: ['+46701234567'] }) }),
    answer: Type.Object({
      destination: Type.String({ examples: ['46701234567'] }),
      prefix: nullable(Type.String({ description: 'Of the route that decides; null: there is none.' })),
      isRouted: Type.Boolean({ description: 'Sends to it are not refused.' }),
      summary: Type.String({ description: 'In words.' }),
      carriers: Type.Array(
        Type.Object({
          carrier: CarrierName,
          rank: Type.Integer(),
          weight: Type.Integer(),
          sharePercent: Type.Integer(),
          state: Type.String({ examples: ['bound'] }),
        }),
      ),
    }),
    run: routeTest,
  }),
];
