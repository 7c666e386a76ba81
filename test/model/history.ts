/**
 * Carries histories out: their steps are carried out by the engine and by the model alike, and compared after each.
 */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { TransactionItem } from '../../src/contract/reservations.ts';
import { changeInRedis } from '../../src/definitions/change.ts';
import { HoldfastError } from '../../src/domain/errors.ts';
import { sweep } from '../../src/engine/expiry/sweep.ts';
import { active } from '../../src/engine/reservations/active.ts';
import { setCondition } from '../../src/engine/reservations/conditions.ts';
import { setClock } from '../support/clock.ts';
import type { RunningEngine } from '../support/engine.ts';
import { changeFlag } from '../support/hotRecord.ts';
import { all, allDefinitions, sorted, wholeTree } from '../support/listed.ts';
import { ReadOutbox } from '../support/outbox.ts';
import { available, check, renew, reserve, reset, transaction, unreserve } from '../support/verbs.ts';
import { numbered } from './matching.ts';
import { Model } from './model.ts';
import { withoutReasons } from './plans.ts';
import { type Reservation, toDefinition } from './state.ts';
import type { GiveBack, History, Step } from './steps.ts';
import { compareStored } from './stored.ts';

/**
 * Carries a history out, on the engine and on a model of its own.
 * @throws where their answers or their states differ
 */
export async function run({ engine, credential }: RunningEngine, history: History): Promise<void> {
  const { tenant } = credential;
  const { redis } = engine;
  const changes = changeInRedis(engine);
  const model = new Model();
  // A step that writes to the tenant by itself must not come before it is there.
  await engine.loadTenant(tenant);
  // Ahead of the time, so that instances on the same Redis end nothing.
  model.setClock(Date.now() + 600_000);
  await setClock(redis, tenant, model.nowMs);
  await changeFlag(redis, tenant, 'notices', true);
  const outbox = new ReadOutbox(redis, tenant);
  for (const [i, one] of history.entries()) {
    try {
      await carryOut(one);
      await compareStored(redis, tenant, model);
      expect(await outbox.held()).toBe(model.reservations.length);
    } catch (error) {
      if (error instanceof Error) error.message = `step ${i}, ${JSON.stringify(one)}: ${error.message}`;
      throw error;
    }
  }

  function chosen(item: GiveBack) {
    const target = model.reservations[(item.of?.nth ?? 0) % model.reservations.length];
    const named = (one: Reservation) => ({
      name: one.requestedName,
      slot: one.own.slot,
      'last slot': one.details.slots?.at(-1) ?? one.own.slot,
    });
    const { resource, requester } =
      item.of === null || target === undefined
        ? item
        : { resource: named(target)[item.of.by], requester: target.requester };
    const releaseToken = {
      right: model.find(resource, requester)?.token ?? undefined,
      stolen: model.reservations.find((one) => one.requester !== requester)?.token ?? undefined,
      'made up': randomUUID(),
      none: undefined,
    }[item.token];
    const held = model.find(resource, requester);
    const slots = [held?.details.slots?.at(-1) ?? held?.own.slot ?? 'none', 'elsewhere'];
    const { condition, of = 'all' } = item.report ?? {};
    const report = condition === undefined ? {} : { condition, ...(of === 'last' && { slots }) };
    return { resource, requester, releaseToken, ...report };
  }

  async function carryOut(one: Step): Promise<void> {
    switch (one.do) {
      case 'register': {
        const answer = await refusable(
          changes.register(credential, one.items.map(toDefinition)).then(({ result }) => result),
        );
        expect(sorted(answer)).toEqual(sorted(model.register(one.items) ?? 'refused'));
        return;
      }
      case 'delete': {
        const answer = await refusable(changes.delete(credential, one.name, one.cascade).then(({ result }) => result));
        expect(sorted(answer)).toEqual(sorted(model.delete(one.name, one.cascade)));
        return;
      }
      case 'require registration':
        await changeFlag(redis, tenant, 'strict', one.on);
        model.requireRegistration = one.on;
        return;
      case 'reserve': {
        const results = await reserve(engine, credential, one.items);
        expect(results).toEqual(
          numbered(one.items).map((item, i) => model.reserve(item, results[i]?.releaseToken ?? null)),
        );
        return;
      }
      case 'set condition': {
        const { name: resource, condition } = one;
        const { result } = await setCondition(engine, credential, [{ resource, condition }]);
        expect(result.map(({ status }) => status)).toEqual([model.setCondition(resource, condition)]);
        return;
      }
      case 'unreserve': {
        const items = one.items.map(chosen);
        const results = await unreserve(engine, credential, items);
        expect(results).toEqual(items.map((item) => model.unreserve(item)));
        return;
      }
      case 'renew': {
        const items = one.items.map((item) => ({ ...chosen({ ...item, report: null }), ttlSeconds: item.ttlSeconds }));
        const results = await renew(engine, credential, items);
        expect(results).toEqual(items.map((item) => model.renew(item)));
        return;
      }
      case 'transaction': {
        const items = one.items.map(
          (item): TransactionItem =>
            'token' in item ? { requestType: 'UNRESERVE', ...chosen(item) } : { requestType: 'RESERVE', ...item },
        );
        const answer = await transaction(engine, credential, one.method, items);
        const tokens = answer.results.map((result) => ('releaseToken' in result ? result.releaseToken : null));
        expect(answer).toEqual(model.transaction(one.method, items, tokens));
        return;
      }
      case 'wait':
        model.setClock(model.nowMs + one.ms);
        await setClock(redis, tenant, model.nowMs);
        // Due reservations stay stored until somebody comes along.
        await available(engine, credential, 'a');
        return;
      case 'sweep':
        await sweep(redis);
        return;
      case 'reset':
        expect(await reset(engine, credential)).toBe(model.reset());
        return;
      case 'look':
        return look(one.name, one.requester);
    }
  }

  async function look(name: string, requester: string): Promise<void> {
    expect(await available(engine, credential, name)).toBe(model.available(name));
    const items = [{ resource: name }, { resource: name, requester }];
    const seen = await check(engine, credential, items);
    expect(withoutReasons(seen, model, [])).toEqual(items.map((item) => model.check(item)));
    expect(await allDefinitions(engine, credential)).toEqual(model.list());
    expect(await wholeTree(engine, credential)).toEqual(model.tree());
    const found = await all(active(engine, credential));
    expect(sorted(found)).toEqual(
      sorted(
        model.reservations.map(({ requestedName, requester, reservedAt, expiresAt, details, fence, condition }) => ({
          resource: requestedName,
          requester,
          resourceType: 'UserDefined',
          reservedAt: new Date(reservedAt).toISOString(),
          expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
          claimBy: null,
          ...details,
          ...(condition && { condition }),
          fencingToken: fence,
          apiKeyLabel: null,
        })),
      ),
    );
  }
}

/** The code of a request that is refused as a whole. */
const refusable = <T>(call: Promise<T>): Promise<T | string> =>
  call.catch((error: unknown) => {
    if (error instanceof HoldfastError) return error.code;
    throw error;
  });
