import { createConfig, lintFromString } from '@redocly/openapi-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FAILURE_CODES } from '../../src/domain/errors.ts';
import { type Instance, startInstance } from '../support/service.ts';

let holdfast: Instance;
let document: Record<string, unknown>;
beforeAll(async () => {
  holdfast = await startInstance();
  document = (await holdfast.request<Record<string, unknown>>('GET', '/openapi.json')).body;
});
afterAll(() => holdfast.stop());

interface Operation {
  readonly responses: object;
  readonly parameters?: readonly {
    readonly in: string;
    readonly name: string;
    readonly schema: { maxLength?: number };
  }[];
}
/** Each operation with its method and path. */
const operations = ({ paths }: Record<string, unknown>) =>
  Object.entries(paths as Record<string, Record<string, Operation>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => [`${method.toUpperCase()} ${path}`, one] as const),
  );
const inQuery = ({ parameters = [] }: Operation) => parameters.filter((one) => one.in === 'query');

describe('/openapi.json', () => {
  test('is OpenAPI 3.1 and passes a linter', async () => {
    expect(document.openapi).toBe('3.1.0');
    const config = await createConfig({ extends: ['recommended'] });
    const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: 'openapi.json', config });
    // The server is wherever the page came from, and the two health checks cannot fail by the client's fault.
    const rules = problems.map(({ ruleId }) => ruleId);
    expect(rules.filter((rule) => rule !== 'operation-4xx-response' && rule !== 'no-server-example.com')).toEqual([]);
  });

  test('tells every status of every operation', () => {
    const statuses = Object.fromEntries(
      operations(document).map(([call, { responses }]) => [call, Object.keys(responses).map(Number)]),
    );
    const key = [200, 401, 403, 429, 500, 503];
    const parameters = [...key, 400];
    const body = [...parameters, 408, 413, 415];
    const repeatable = [...body, 409];
    expect(statuses, 'list here the statuses that a route declares in its responses').toEqual({
      'POST /api/v1/Reservation/reserve': repeatable.sort(),
      'POST /api/v1/Reservation/unreserve': repeatable.sort(),
      'POST /api/v1/Reservation/renew': repeatable.sort(),
      'POST /api/v1/Reservation/transaction': repeatable.sort(),
      'POST /api/v1/Reservation/check': body.sort(),
      'GET /api/v1/Reservation/activeReservations': parameters.sort(),
      'POST /api/v1/Reservation/cancel': repeatable.sort(),
      'GET /api/v1/Reservation/waiting': parameters.sort(),
      'GET /api/v1/Reservation/history': parameters.sort(),
      'GET /api/v1/Resource/usage': parameters.sort(),
      'POST /api/v1/Reservation/reset': [...parameters, 409].sort(),
      'POST /api/v1/Session': repeatable.sort(),
      'GET /api/v1/Session': key,
      'POST /api/v1/Session/renew': repeatable.sort(),
      'POST /api/v1/Session/end': repeatable.sort(),
      'POST /api/v1/Booking': repeatable.sort(),
      'GET /api/v1/Booking': parameters.sort(),
      'PATCH /api/v1/Booking/{id}': [...repeatable, 404].sort(),
      'DELETE /api/v1/Booking/{id}': [...parameters, 409].sort(),
      'DELETE /api/v1/Booking/series/{id}': [...parameters, 409].sort(),
      'DELETE /api/v1/Booking': [...parameters, 409].sort(),
      'GET /api/v1/events': key,
      'POST /api/v1/Resource/register': body.sort(),
      'PUT /api/v1/Resource/condition': repeatable.sort(),
      'GET /api/v1/Resource/definitions': parameters.sort(),
      'GET /api/v1/Resource/tree': key,
      'GET /api/v1/Resource/available/{resource}': parameters.sort(),
      'DELETE /api/v1/Resource/{name}': [...parameters, 404].sort(),
      'GET /healthz': [200, 503],
      'GET /readyz': [200, 503],
      'GET /version': [200],
    });
  });

  test('has a 400 wherever a query can be malformed', () => {
    const without = operations(document).filter(([, one]) => inQuery(one).length > 0 && !('400' in one.responses));
    const calls = without.map(([call]) => call);
    expect(calls, 'declare it: ...parameterOperation in the responses of the route').toEqual([]);
  });

  test('lists the codes of failures, and says where they are', () => {
    const text = JSON.stringify(document);
    for (const code of FAILURE_CODES) expect(text).toContain(`"${code}"`);
    expect(document).toMatchObject({ components: { schemas: { FailureCode: { enum: FAILURE_CODES } } } });
    expect(text).toContain('Holdfast-Error');
  });

  test('says that a key may be sent as a bearer too', () => {
    expect(document).toMatchObject({
      paths: { '/api/v1/events': { get: { security: [{ apiKey: [] }, { bearer: [] }] } } },
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    });
  });

  test('shows the limits as they are configured', async () => {
    const strict = await startInstance({ env: { MAX_TTL_SECONDS: '60', MAX_BATCH: '2', MAX_WAIT_SECONDS: '70' } });
    const { body } = await strict.request('GET', '/openapi.json');
    for (const shown of ['"maximum":60', '"maxItems":2', '"maximum":70']) expect(JSON.stringify(body)).toContain(shown);
    const item = { resource: 'a', requester: 'q', ttlSeconds: 61 };
    expect((await strict.reserve(item)).status).toBe(400);
    await strict.stop();
  });
});
