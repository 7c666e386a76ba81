/**
 * /api/v1/Tenant/slack: the Slack app of the tenant (docs/specification.md#reserving-from-slack).
 */
import { NewSlackApp, SlackApp } from '../../../contract/tenant.ts';
import type { Charged } from '../../../domain/quota.ts';
import { deleteSlackApp, putSlackApp, readSlackApp, type SlackDeps } from '../../../operations/slack.ts';
import type { SlackApp as Stored } from '../../../store/slack.ts';
import type { Call } from '../../call/call.ts';
import { operation } from '../../call/operation.ts';
import { charged } from '../../call/reply.ts';
import { type Route, route } from '../../call/route.ts';
import { answer, anyOperation, bodyOperation, unknown } from '../../openapi/responses.ts';

const common = { path: '/api/v1/Tenant/slack', tags: ['Tenant'], right: 'settings' as const };

const readOperation = operation({
  ...common,
  method: 'get',
  operationId: 'getSlackApp',
  summary: 'See the Slack app',
  description: 'Its workspace, and who registered it. Its secrets are never shown.',
  responses: { 200: answer('The app.', SlackApp), ...unknown, ...anyOperation },
});

const putOperation = operation({
  ...common,
  method: 'put',
  operationId: 'registerSlackApp',
  summary: 'Register the Slack app',
  description:
    'The service asks Slack for the workspace of the token, and takes requests of that workspace only. Replaces the app that the tenant had. Its Request URL is `/integrations/slack/<tenant id>`.',
  body: NewSlackApp,
  responses: { 200: answer('The app.', SlackApp), ...bodyOperation },
});

const deleteOperation = operation({
  ...common,
  method: 'delete',
  operationId: 'deleteSlackApp',
  summary: 'Delete the Slack app',
  description: 'Its requests are refused from now on, and the accounts that members have linked are forgotten.',
  responses: { 200: answer('The app that was deleted.', SlackApp), ...unknown, ...anyOperation },
});

export const slackOperations = [readOperation, putOperation, deleteOperation];

const appBody = ({ result: { createdAt, ...app }, ...done }: Charged<Stored>, call: Call) =>
  charged({ ...done, result: { ...app, createdAt: createdAt.toISOString() } }, call);

export const slackAppRoutes = (deps: SlackDeps): readonly Route[] => [
  route(readOperation, (call) => readSlackApp(deps, call.actor), appBody),
  route(putOperation, (call) => putSlackApp(deps, call.actor, call.body), appBody),
  route(deleteOperation, (call) => deleteSlackApp(deps, call.actor), appBody),
];
