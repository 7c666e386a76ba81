/**
 * The examples of the API reference and of the OpenAPI document, src/http/reference/examples.json. This test makes the
 * requests of all scenarios against a real service. With RECORD=true it writes the file; else it compares, so that an
 * example whose status or shape has changed fails.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_INSTANCE, openapiDocument } from '../../../src/http/openapi/openapi.ts';
import type { Document } from '../../../src/http/reference/document.ts';
import type { Example } from '../../../src/http/reference/examples.ts';
import { makeTenant } from '../../support/service.ts';
import { jsonDifference } from '../shape.ts';
import { booking } from './scenarios/booking.ts';
import { errors, limits, unavailable } from './scenarios/errors.ts';
import { notices } from './scenarios/notices.ts';
import { reservation, session } from './scenarios/reservation.ts';
import { events, resource } from './scenarios/resource.ts';
import { admin, auth, keys, members, tenant } from './scenarios/tenant.ts';
import { makeStage, type Stage, startWorld, type World } from './world.ts';

const FILE = join(import.meta.dirname, '../../../src/http/reference/examples.json');
const { paths } = openapiDocument(DEFAULT_INSTANCE) as Document;
const operations = Object.values(paths).flatMap((methods) => Object.values(methods));

const SCENARIOS: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  reservation,
  session,
  booking,
  resource,
  events,
  auth,
  keys,
  tenant,
  members,
  notices,
  errors,
  unavailable,
};

let world: World;
const made: Record<string, Example[]> = {};
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

/** A record a line, by operation in the order of the document, then the errors of all. */
function written(): string {
  const order = operations.map(({ operationId }) => operationId);
  const names = Object.keys(made).sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
  const lines = names.map((name) => {
    const records = (made[name] ?? []).map((example) => JSON.stringify(example));
    return `${JSON.stringify(name)}: [\n${records.join(',\n')}\n]`;
  });
  return `{\n${lines.join(',\n')}\n}\n`;

  function rank(name: string): number {
    const at = order.indexOf(name);
    return at === -1 ? order.length : at;
  }
}

describe('the examples of the API reference', () => {
  test.each(Object.entries(SCENARIOS))('%s', async (name, scenario) => {
    await scenario(await makeStage(world, made, name));
  });

  test('admin', async () => {
    const beta = makeTenant();
    const stage = await makeStage(world, made, 'admin', 'Starter', [[beta, 'beta']]);
    await admin({ ...stage, made: beta });
  });

  test('limits', async () => {
    await limits(await makeStage(world, made, 'limits', 'Free'));
  });

  test('are those of examples.json; if not, run: npm run examples', () => {
    if (process.env.RECORD === 'true') writeFileSync(FILE, written());
    expect(jsonDifference(readFileSync(FILE, 'utf8'), written())).toBeNull();
  });

  test('show a success of every operation, and only statuses that it declares', () => {
    const without = operations.filter(({ operationId }) => !made[operationId]?.some(({ status }) => status < 300));
    expect(without.map(({ operationId }) => operationId)).toEqual([]);
    for (const { operationId, responses } of operations)
      for (const { title, status } of made[operationId] ?? [])
        expect([operationId, title, Object.keys(responses)]).toEqual([
          operationId,
          title,
          expect.arrayContaining([String(status)]),
        ]);
  });
});
