/**
 * POST /api/v1/Reservation/reserve: reserves resources (docs/specification.md#reserve).
 */
import { OpenAPIHono } from '@hono/zod-openapi';
import { DryRunQuery } from '../../../contract/dryRun.ts';
import { ReserveResults } from '../../../contract/minimal.ts';
import { ReserveBody } from '../../../contract/reservations.ts';
import { PollQuery } from '../../../contract/waiting.ts';
import * as dryRun from '../../../operations/dryRun.ts';
import type { WaitDeps } from '../../../operations/hold.ts';
import { reserve } from '../../../operations/reserve.ts';
import type { BodyDeps } from '../../deps.ts';
import { readDryRun } from '../../dryRun.ts';
import type { AppEnv } from '../../env.ts';
import { refuseMalformed } from '../../errors.ts';
import { holdOf, markWaiting, readPoll } from '../../hold.ts';
import { asPreferred } from '../../minimal.ts';
import { markReplayed } from '../../once.ts';
import { operation, withBody } from '../../operation.ts';
import { bodyOperation, waitingAnswer } from '../../responses.ts';

export const reserveOperation = operation({
  method: 'post',
  path: '/api/v1/Reservation/reserve',
  operationId: 'reserve',
  right: 'reserve',
  tags: ['Reservation'],
  summary: 'Reserve resources',
  description:
    'Items are applied one by one, in order, and each result has its own status. It is safe to retry: a requester that already holds the resource gets ALREADY_HAD and the same token. With `waitSeconds`, an item that cannot be had now waits for its turn: while its status is WAITING, send the same request again, until `waitSeconds` are over. With `dryRun=true`, nothing is reserved: the response says what would happen now.',
  query: PollQuery.extend(DryRunQuery.shape),
  isRepeatable: true,
  canBeMinimal: true,
  body: ReserveBody,
  responses: {
    200: waitingAnswer(ReserveResults),
    ...bodyOperation,
  },
});

export const reserveRoute = (deps: BodyDeps & WaitDeps) => {
  const app = new OpenAPIHono<AppEnv>();
  return app.openapi(withBody(reserveOperation, deps), async (c) => {
    const { data: poll, error } = readPoll(c.req);
    if (error !== undefined) return refuseMalformed(c, error);
    const isDry = readDryRun(c);
    if (isDry instanceof Response) return isDry;
    if (isDry) {
      const { result, quota } = await dryRun.reserve(deps, c.get('credential'), c.get('body'), poll.pollSeconds);
      c.set('quota', quota);
      return c.json(result, 200);
    }
    const hold = holdOf(c.env, poll.pollSeconds);
    const {
      result: results,
      quota,
      isReplayed,
    } = await reserve(deps, c.get('credential'), c.get('body'), hold, c.get('once'));
    c.set('quota', quota);
    markReplayed(c, isReplayed);
    markWaiting(c, results);
    return c.json(asPreferred(c, c.get('body'), results), 200);
  });
};
