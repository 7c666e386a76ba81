/**
 * An operation of the API, as a route declares it: apart from any app, so that the OpenAPI document can be written
 * without one.
 */
import type { RouteConfig, z } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';
import { type Rules, withRules } from '../contract/sizes.ts';
import type { Need } from '../domain/rights.ts';
import type { actFor } from './actFor.ts';
import { type BodyMiddleware, jsonBody } from './middleware/jsonBody.ts';

/** A route, and the schemas of its body and its query if its middleware and its handler check these themselves. */
export type Operation = Omit<RouteConfig, 'middleware' | 'hide' | 'security'> & {
  /** What its caller must have. The middleware or the script checks it; the OpenAPI document shows it. */
  readonly right: Need;
  /** Whether its requests may have an Idempotency-Key. */
  readonly isRepeatable?: true;
  /** Whether results can be minimal. */
  readonly canBeMinimal?: true;
  readonly body?: z.ZodType;
  readonly query?: z.ZodObject;
  /** Fills in the requester that a derived token implies, if the body is not made of items. */
  readonly fillRequester?: typeof actFor;
};

/** Declares an operation. */
export const operation = <Path extends string, Route extends Omit<Operation, 'path'> & { path: Path }>(
  route: Route,
): Route => route;

/** The route of an operation for an app: `before` and then jsonBody take its requests before the handler does. */
export function withBody<Route extends Operation & { readonly body: z.ZodType }, Before extends MiddlewareHandler[]>(
  route: Route,
  rules: Rules,
  ...before: Before
): Route & { middleware: [...Before, BodyMiddleware<Route['body']>] } {
  const takeBody = jsonBody(
    withRules<Route['body']>(route.body, rules),
    rules.sizes,
    route.isRepeatable ?? false,
    route.fillRequester,
  );
  return { ...route, middleware: [...before, takeBody] };
}
