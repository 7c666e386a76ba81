/**
 * /api/v1/Tenant/notices: the tenant's subscriptions to its events (docs/specification.md#subscriptions).
 */
import { z } from '@hono/zod-openapi';
import {
  DeletedSubscription,
  Deliveries,
  NewSubscription,
  Subscription,
  SubscriptionChange,
  SubscriptionParams,
  SubscriptionWithSecret,
  TestResult,
} from '../../../contract/notices.ts';
import { type DeliveryDeps, readDeliveries, testSubscription } from '../../../operations/deliveries.ts';
import {
  changeSubscription,
  createSubscription,
  deleteSubscription,
  type ListedSubscription,
  listSubscriptions,
  readSubscription,
  rotateSecret,
} from '../../../operations/subscriptions.ts';
import { operation } from '../../call/operation.ts';
import { charged, chargedAs } from '../../call/reply.ts';
import { type Route, route } from '../../call/route.ts';
import { answer, anyOperation, bodyOperation, parameterOperation, unknown } from '../../openapi/responses.ts';

const PATH = '/api/v1/Tenant/notices';
const common = { tags: ['Notices'], right: 'settings' as const };

const listOperation = operation({
  ...common,
  method: 'get',
  path: PATH,
  operationId: 'listSubscriptions',
  summary: 'List the subscriptions to events',
  description: 'All webhooks, and what is sent to Slack and by e-mail.',
  responses: { 200: answer('All subscriptions, the oldest first.', z.array(Subscription)), ...anyOperation },
});

const createOperation = operation({
  ...common,
  method: 'post',
  path: PATH,
  operationId: 'createSubscription',
  summary: 'Subscribe to events',
  description:
    'As many as the tier allows. It gets what happens after this call. The secret of a webhook is in this response alone.',
  body: NewSubscription,
  responses: {
    200: answer('The subscription was made before, by the same call.', SubscriptionWithSecret),
    201: answer('The subscription.', SubscriptionWithSecret),
    ...bodyOperation,
  },
});

const readOperation = operation({
  ...common,
  method: 'get',
  path: `${PATH}/{id}`,
  operationId: 'getSubscription',
  summary: 'See a subscription to events',
  description: 'Of its URL, the host alone.',
  request: { params: SubscriptionParams },
  responses: { 200: answer('The subscription.', Subscription), ...unknown, ...parameterOperation },
});

const changeOperation = operation({
  ...common,
  method: 'put',
  path: `${PATH}/{id}`,
  operationId: 'changeSubscription',
  summary: 'Change a subscription to events',
  description:
    'What is left out stays as it is. A batch that is on its way goes to the new address; the next ones follow the new types and prefix.',
  body: SubscriptionChange,
  request: { params: SubscriptionParams },
  responses: { 200: answer('The subscription.', Subscription), ...unknown, ...bodyOperation },
});

const rotateOperation = operation({
  ...common,
  method: 'post',
  path: `${PATH}/{id}/rotate`,
  operationId: 'rotateSubscriptionSecret',
  summary: 'Replace the secret of a webhook',
  description: 'For 24 hours, both secrets sign.',
  request: { params: SubscriptionParams },
  responses: { 200: answer('The subscription.', SubscriptionWithSecret), ...unknown, ...parameterOperation },
});

const testOperation = operation({
  ...common,
  method: 'post',
  path: `${PATH}/{id}/test`,
  operationId: 'testSubscription',
  summary: 'Test a subscription to events',
  description: 'Sends an event of type `TEST` at once, also if the subscription is disabled. It takes up to 10 s.',
  request: { params: SubscriptionParams },
  responses: { 200: answer('What became of it.', TestResult), ...unknown, ...parameterOperation },
});

const deliveriesOperation = operation({
  ...common,
  method: 'get',
  path: `${PATH}/{id}/deliveries`,
  operationId: 'listDeliveries',
  summary: 'List the attempts to deliver to a subscription',
  description: 'The last 100, of at most 30 days.',
  request: { params: SubscriptionParams },
  responses: { 200: answer('The attempts, the latest first.', Deliveries), ...unknown, ...parameterOperation },
});

const deleteOperation = operation({
  ...common,
  method: 'delete',
  path: `${PATH}/{id}`,
  operationId: 'deleteSubscription',
  summary: 'Delete a subscription to events',
  description: 'What was not sent yet is dropped.',
  request: { params: SubscriptionParams },
  responses: { 200: answer('The deleted subscription.', DeletedSubscription), ...unknown, ...parameterOperation },
});

export const noticesOperations = [
  listOperation,
  createOperation,
  readOperation,
  changeOperation,
  rotateOperation,
  testOperation,
  deliveriesOperation,
  deleteOperation,
];

const toBody = ({ createdAt, changedAt, rotatedAt, ...subscription }: ListedSubscription) => ({
  ...subscription,
  createdAt: createdAt.toISOString(),
  changedAt: changedAt.toISOString(),
  rotatedAt: rotatedAt?.toISOString() ?? null,
});

export const noticesRoutes = (deps: DeliveryDeps): readonly Route[] => [
  route(
    listOperation,
    (call) => listSubscriptions(deps, call.actor),
    chargedAs((all) => all.map(toBody)),
  ),
  route(
    createOperation,
    (call) => createSubscription(deps, call.actor, call.body),
    ({ result: { made, secret, isNew }, quota }, call) =>
      charged({ result: { ...toBody(made), secret }, quota }, call, isNew ? 201 : 200),
  ),
  route(readOperation, (call) => readSubscription(deps, call.actor, call.params.id), chargedAs(toBody)),
  route(changeOperation, (call) => changeSubscription(deps, call.actor, call.params.id, call.body), chargedAs(toBody)),
  route(
    rotateOperation,
    (call) => rotateSecret(deps, call.actor, call.params.id),
    chargedAs(({ made, secret }) => ({ ...toBody(made), secret })),
  ),
  route(testOperation, (call) => testSubscription(deps, call.actor, call.params.id), charged),
  route(
    deliveriesOperation,
    (call) => readDeliveries(deps, call.actor, call.params.id),
    chargedAs((attempts) => attempts.map(({ at, ...attempt }) => ({ at: new Date(at).toISOString(), ...attempt }))),
  ),
  route(
    deleteOperation,
    (call) => deleteSubscription(deps, call.actor, call.params.id),
    chargedAs((_, { params }) => ({ deleted: params.id })),
  ),
];
