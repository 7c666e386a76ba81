/**
 * The routes of the operations: how a request is taken follows from what its operation declares.
 */
import type { Hono } from 'hono';
import type { z } from 'zod';
import { forSizes, type Rules, type Sized } from '../../contract/fields.ts';
import { refuseToken, takeToken } from '../../operations/permissions.ts';
import type { AppEnv } from '../deps.ts';
import { misfit } from '../errors.ts';
import { takeBody } from './body.ts';
import type { Call } from './call.ts';
import { checkCaller, type IdentifyDeps, identify } from './callers.ts';
import { type Handler, handle, type Step } from './handle.ts';
import { takeIdempotency } from './idempotency.ts';
import type { ObserveDeps } from './observe.ts';
import type { Operation } from './operation.ts';
import { admitPerson, isForKeys, type PersonDeps } from './persons.ts';
import type { Reply } from './reply.ts';

export type RouteDeps = ObserveDeps & IdentifyDeps & PersonDeps & Rules;

/** A path with a method, ALL for any, and the one handler that it has. */
export interface Route<Deps = RouteDeps> {
  readonly method: string;
  /** As Hono writes it. */
  readonly path: string;
  handler(deps: Deps): Handler;
}

/** The parts of a request that an operation declares. */
type Declared<Body, Query, Params> = Pick<Operation, 'path' | 'right' | 'isRepeatable' | 'fillRequester'> & {
  readonly method: string;
  readonly body?: Sized<z.ZodType<Body>>;
  readonly request?: { readonly query?: z.ZodType<Query>; readonly params?: z.ZodType<Params> };
};

/**
 * The route of an operation for callers with a credential.
 * @param run carries it out
 * @param reply what `run` resolves to, as it is sent
 */
export function route<Body, Query, Params, Done>(
  operation: Declared<Body, Query, Params>,
  run: (call: Call<Body, Query, Params>) => Promise<Done>,
  reply: (done: Done, call: Call<Body, Query, Params>) => Reply,
): Route {
  const path = honoPath(operation.path);
  return {
    method: operation.method,
    path,
    handler: (deps) =>
      handle(deps, {
        ...{ path, run, reply },
        steps: stepsOf(deps, operation),
        check: (call, status) => checkCaller(deps, call, status),
      }),
  };
}

/** The route of an operation that takes no credential. */
export function openRoute<Body, Done>(
  { method, path: declared }: { readonly method: string; readonly path: string },
  run: (call: Call<Body>) => Promise<Done>,
  reply: (done: Done, call: Call<Body>) => Reply,
  steps: readonly Step<Call<Body>>[] = [],
): Route<ObserveDeps> {
  const path = honoPath(declared);
  return { method, path, handler: (deps) => handle(deps, { path, steps, run, reply }) };
}

/** Gives an app the routes. */
export function mount<Deps>(app: Hono<AppEnv>, deps: Deps, routes: readonly Route<Deps>[]): void {
  for (const { method, path, handler } of routes) app.on(method.toUpperCase(), path, handler(deps));
}

/** `{id}` of OpenAPI is `:id` of Hono. */
const honoPath = (path: string) => path.replaceAll(/\/{(.+?)}/g, '/:$1');

function stepsOf<Body, Query, Params>(
  deps: RouteDeps,
  { right, isRepeatable, fillRequester, body, request = {} }: Declared<Body, Query, Params>,
): Step<Call<Body, Query, Params>>[] {
  const { sizes } = deps;
  const steps: Step<Call<Body, Query, Params>>[] = [(call) => identify(deps, call)];
  if (right === 'token') steps.push((call) => takeToken(call.credential));
  else if (!isForKeys(right)) steps.push((call) => admitPerson(deps, right, call));
  if (right === 'define') steps.push((call) => refuseToken(call.credential));
  if (body !== undefined) {
    const rules = { schema: forSizes(body, sizes), sizes, fillRequester, isRepeatable };
    steps.push((call) => takeBody(rules, call));
  } else if (isRepeatable) {
    steps.push((call) => takeIdempotency(call, null));
  }
  if (request.query !== undefined) {
    const schema = request.query;
    steps.push((call): undefined => {
      call.query = parsed(schema, queryOf(call));
    });
  }
  if (request.params !== undefined) {
    const schema = request.params;
    steps.push((call): undefined => {
      call.params = parsed(schema, call.c.req.param());
    });
  }
  return steps;
}

/** A parameter that is given several times has an array of values. */
const queryOf = ({ c }: Call) =>
  Object.fromEntries(
    Object.entries(c.req.queries()).map(([name, [one, ...more]]) => [name, more.length === 0 ? one : [one, ...more]]),
  );

function parsed<Output>(schema: z.ZodType<Output>, input: unknown): Output {
  const { data, error } = schema.safeParse(input);
  if (error !== undefined) throw misfit(error);
  return data;
}
