/**
 * /api/v1/Tenant/keys: lists, reads, makes, changes, rotates and deletes the tenant's API keys
 * (docs/specification.md#tenants-and-administration, #operations). With a session.
 */
import { z } from '@hono/zod-openapi';
import { DeletedKey, Key, KeyChange, KeyParams, KeysQuery, KeyWithValue, NewKey } from '../../../contract/keys.ts';
import {
  changeKey,
  createKey,
  deleteKey,
  type KeyDeps,
  type ListedKey,
  listKeys,
  type OpenedKey,
  readKey,
  rotateKey,
} from '../../../operations/keys.ts';
import type { Call } from '../../call/call.ts';
import { operation } from '../../call/operation.ts';
import { charged, chargedAs, json } from '../../call/reply.ts';
import { type Route, route } from '../../call/route.ts';
import { answer, bodyOperation, parameterOperation, unknown } from '../../openapi/responses.ts';

const PATH = '/api/v1/Tenant/keys';
const DEFAULT_PAGE = 50;
const common = { tags: ['Keys'], right: 'keys' as const };

const listOperation = operation({
  ...common,
  method: 'get',
  path: PATH,
  operationId: 'listKeys',
  summary: 'List the API keys',
  description: 'All of them, the default key first. With `limit` or `after`, a page sorted by id.',
  request: { query: KeysQuery },
  responses: {
    200: {
      ...answer('The keys.', z.array(Key)),
      headers: z.object({
        Link: z.string().optional().meta({ description: 'The address of the next page, with `rel="next"`.' }),
      }),
    },
    ...parameterOperation,
  },
});

const createOperation = operation({
  ...common,
  method: 'post',
  path: PATH,
  operationId: 'createKey',
  summary: 'Make an API key',
  description: 'As many as the tier allows.',
  body: NewKey,
  responses: {
    200: answer('The key was made before, by the same call.', KeyWithValue),
    201: answer('The key.', KeyWithValue),
    ...bodyOperation,
  },
});

const readOperation = operation({
  ...common,
  method: 'get',
  path: `${PATH}/{id}`,
  operationId: 'getKey',
  summary: 'See an API key',
  description: 'Without its value, which only the calls that make and rotate it return.',
  request: { params: KeyParams },
  responses: { 200: answer('The key, without its value.', Key), ...unknown, ...parameterOperation },
});

const changeOperation = operation({
  ...common,
  method: 'put',
  path: `${PATH}/{id}`,
  operationId: 'changeKey',
  summary: 'Change what an API key is called and may do',
  description: 'Its value stays. What is left out stays as it is. The default key cannot be restricted.',
  body: KeyChange,
  request: { params: KeyParams },
  responses: { 200: answer('The key.', Key), ...unknown, ...bodyOperation },
});

const rotateOperation = operation({
  ...common,
  method: 'post',
  path: `${PATH}/{id}/rotate`,
  operationId: 'rotateKey',
  summary: 'Replace the value of an API key',
  description: 'Once this call returns, every instance refuses the old value, and its event streams end.',
  request: { params: KeyParams },
  responses: { 200: answer('The key.', KeyWithValue), ...unknown, ...parameterOperation },
});

const deleteOperation = operation({
  ...common,
  method: 'delete',
  path: `${PATH}/{id}`,
  operationId: 'deleteKey',
  summary: 'Delete an API key',
  description: 'Once this call returns, every instance refuses the key. The default key can only be rotated.',
  request: { params: KeyParams },
  responses: { 200: answer('The deleted key.', DeletedKey), ...unknown, ...parameterOperation },
});

export const keysOperations = [
  listOperation,
  createOperation,
  readOperation,
  changeOperation,
  rotateOperation,
  deleteOperation,
];

const toBody = ({ createdAt, rotatedAt, expiresAt, usedAt, ...key }: ListedKey) => ({
  ...key,
  createdAt: createdAt.toISOString(),
  rotatedAt: rotatedAt?.toISOString() ?? null,
  expiresAt: expiresAt?.toISOString() ?? null,
  usedAt: usedAt?.toISOString() ?? null,
});
const toBodyWithValue = ({ key, ...listed }: OpenedKey) => ({ ...toBody(listed), key });

export const keysRoutes = (deps: KeyDeps): readonly Route[] => [
  route(
    listOperation,
    (call) => {
      const { after, limit = DEFAULT_PAGE } = call.query;
      return listKeys(deps, call.actor, isPage(call) ? { after, limit } : null);
    },
    ({ result, quota }, call) => {
      const { limit = DEFAULT_PAGE } = call.query;
      const last = isPage(call) && result.length === limit ? result.at(-1) : undefined;
      const link = last && { Link: `<${PATH}?after=${last.id}&limit=${limit}>; rel="next"` };
      return charged({ result: result.map(toBody), quota }, call, 200, link);
    },
  ),
  route(
    createOperation,
    (call) => createKey(deps, call.actor, call.body),
    ({ result: { key, isNew }, quota }, call) =>
      charged({ result: toBodyWithValue(key), quota }, call, isNew ? 201 : 200),
  ),
  route(readOperation, (call) => readKey(deps, call.actor, call.params.id), chargedAs(toBody)),
  route(changeOperation, (call) => changeKey(deps, call.actor, call.params.id, call.body), chargedAs(toBody)),
  route(
    rotateOperation,
    (call) => rotateKey(deps, call.actor, call.params.id),
    (key) => json(toBodyWithValue(key)),
  ),
  route(
    deleteOperation,
    (call) => deleteKey(deps, call.actor, call.params.id),
    (_, call) => json({ deleted: call.params.id }),
  ),
];

const isPage = ({ c }: Call) => c.req.query('after') !== undefined || c.req.query('limit') !== undefined;
