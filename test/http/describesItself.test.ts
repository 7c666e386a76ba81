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
      Object.entries(document.paths as Record<string, Record<string, { responses: object }>>).flatMap(
        ([path, methods]) => Object.values(methods).map(({ responses }) => [path, Object.keys(responses).map(Number)]),
      ),
    );
    const key = [200, 401, 403, 429, 500, 503];
    const parameters = [...key, 400];
    const body = [...parameters, 408, 413, 415];
    const repeatable = [...body, 409];
    expect(statuses).toEqual({
      '/api/v1/Reservation/reserve': repeatable.sort(),
      '/api/v1/Reservation/unreserve': repeatable.sort(),
      '/api/v1/Reservation/renew': repeatable.sort(),
      '/api/v1/Reservation/transaction': repeatable.sort(),
      '/api/v1/Reservation/check': body.sort(),
      '/api/v1/Reservation/activeReservations': parameters.sort(),
      '/api/v1/Reservation/cancel': repeatable.sort(),
      '/api/v1/Reservation/waiting': parameters.sort(),
      '/api/v1/Reservation/history': parameters.sort(),
      '/api/v1/Resource/usage': parameters.sort(),
      '/api/v1/Reservation/reset': [...parameters, 409].sort(),
      '/api/v1/Session': key,
      '/api/v1/Session/renew': repeatable.sort(),
      '/api/v1/Session/end': repeatable.sort(),
      '/api/v1/events': key,
      '/api/v1/Resource/register': body.sort(),
      '/api/v1/Resource/definitions': parameters.sort(),
      '/api/v1/Resource/tree': key,
      '/api/v1/Resource/available/{resource}': parameters.sort(),
      '/api/v1/Resource/{name}': [...parameters, 404].sort(),
      '/healthz': [200, 503],
      '/readyz': [200, 503],
      '/version': [200],
    });
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
    const strict = await startInstance({ env: { MAX_NAME_LENGTH: '10', MAX_TTL_SECONDS: '60', MAX_BATCH: '2' } });
    const { body } = await strict.request('GET', '/openapi.json');
    expect(JSON.stringify(body)).toContain('"maxLength":10');
    expect(JSON.stringify(body)).toContain('"maximum":60');
    expect(JSON.stringify(body)).toContain('"maxItems":2');
    expect((await strict.reserve({ resource: 'x'.repeat(11), requester: 'q' })).status).toBe(400);
    await strict.stop();
  });
});
