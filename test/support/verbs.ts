/**
 * The engine's verbs as most tests want them: only the result, without the quota.
 */
import type { Charged } from '../../src/domain/quota.ts';
import * as availability from '../../src/engine/definitions/list.ts';
import * as checking from '../../src/engine/reservations/check.ts';
import * as renewing from '../../src/engine/reservations/renew.ts';
import * as reserving from '../../src/engine/reservations/reserve.ts';
import * as transacting from '../../src/engine/reservations/transaction.ts';
import * as resetting from '../../src/engine/reservations/unreserve.ts';
import * as unreserving from '../../src/engine/reservations/unreserve.ts';
import * as using from '../../src/engine/tenant/usage.ts';

const resultOnly =
  <Args extends unknown[], Result>(verb: (...args: Args) => Promise<Charged<Result>>) =>
  async (...args: Args): Promise<Result> =>
    (await verb(...args)).result;

export const reserve = resultOnly(reserving.reserve);
export const unreserve = resultOnly(unreserving.unreserve);
export const renew = resultOnly(renewing.renew);
export const transaction = resultOnly(transacting.transaction);
export const reset = resultOnly(resetting.reset);
export const check = resultOnly(checking.check);
export const available = resultOnly(availability.available);
export const usage = resultOnly(using.usage);
