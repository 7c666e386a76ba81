/**
 * An operation of the API, as a route declares it: apart from any app, so that the OpenAPI document can be written
 * without one.
 */
import type { RouteConfig, z } from '@hono/zod-openapi';
import type { Sized } from '../../contract/fields.ts';
import type { Need } from '../../domain/rights.ts';
import type { actFor } from './actFor.ts';

/** An operation: its description in the OpenAPI document, and how its requests are read. */
export type Operation = Omit<RouteConfig, 'middleware' | 'hide' | 'security' | 'request'> & {
  /**
   * The right that its caller needs. A step before the handler, or the script checks it; the OpenAPI document shows it.
   */
  readonly right: Need;
  /** True if its requests may have an Idempotency-Key. */
  readonly isRepeatable?: true;
  /** True if results can be minimal. */
  readonly canBeMinimal?: true;
  readonly body?: Sized<z.ZodType>;
  readonly request?: { readonly query?: z.ZodObject; readonly params?: z.ZodObject };
  /** The query, if the handler reads it itself. */
  readonly query?: z.ZodObject;
  /** Fills in the requester that a derived token implies, if the body is not made of items. */
  readonly fillRequester?: typeof actFor;
};

/** Declares an operation. */
export const operation = <Path extends string, Route extends Omit<Operation, 'path'> & { path: Path }>(
  route: Route,
): Route => route;
