/**
 * /api/v1/Resource: registers, deletes and lists resources, and shows whether one has a free slot
 * (docs/specification.md#registration, #deletion, #listings, #check).
 */

import { z } from '@hono/zod-openapi';
import {
  Definition,
  DefinitionsQuery,
  Deleted,
  DeleteQuery,
  NameParams,
  RegisterBody,
  ResourceParams,
} from '../../../contract/definitions.ts';
import { available, deleteDefinition, register } from '../../../operations/definitions.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import { listDefinitions } from '../../../operations/lists.ts';
import { NOTE_HEADER, noteOf } from '../../ancestorsNote.ts';
import { answerList, jsonRows } from '../../call/listing.ts';
import { operation } from '../../call/operation.ts';
import { asIs, charged, chargedAs, NONE } from '../../call/reply.ts';
import { type Route, route } from '../../call/route.ts';
import { answer, bodyOperation, parameterOperation, unregistered } from '../../responses.ts';

export const registerOperation = operation({
  method: 'post',
  path: '/api/v1/Resource/register',
  operationId: 'registerResources',
  right: 'define',
  tags: ['Resource'],
  summary: 'Register resources',
  description:
    'Registers all items, or none if one is refused. A registered name gets the new definition; existing reservations keep their slots. Missing ancestors are registered with capacity 1, so that only one requester at a time can hold anything below them, or as groups if the item says `groups`. Labels, and whether it is a group, stay as they are unless the item has them.',
  body: RegisterBody,
  responses: {
    200: {
      ...answer('The definitions as stored, including ancestors that were registered along.', z.array(Definition)),
      headers: z.object({
        [NOTE_HEADER]: z.string().optional().meta({
          description: 'The ancestors that were registered along, and how. Names are percent-encoded.',
          example: '"phones" was registered with capacity 1',
        }),
      }),
    },
    ...bodyOperation,
  },
});

export const registerRoute = (deps: Pick<OperationDeps, 'definitions' | 'activity'>): Route =>
  route(
    registerOperation,
    (call) => register(deps, call.credential, call.body),
    (done, call) => {
      const note = noteOf(call.body, done.result);
      return charged(done, call, 200, note === null ? NONE : { [NOTE_HEADER]: note });
    },
  );

export const deleteOperation = operation({
  method: 'delete',
  path: '/api/v1/Resource/{name}',
  operationId: 'deleteResource',
  right: 'define',
  tags: ['Resource'],
  summary: 'Delete a definition',
  description:
    'Refused with 400 if the resource has children and `cascade` is not true, or if any resource that would be deleted is held.',
  request: { params: NameParams, query: DeleteQuery },
  responses: { 200: answer('The names of the deleted definitions.', Deleted), ...parameterOperation, ...unregistered },
});

export const deleteRoute = (deps: Pick<OperationDeps, 'definitions' | 'activity'>): Route =>
  route(
    deleteOperation,
    (call) => deleteDefinition(deps, call.credential, call.params.name, call.query.cascade),
    chargedAs((deleted) => ({ deleted })),
  );

export const definitionsOperation = operation({
  method: 'get',
  path: '/api/v1/Resource/definitions',
  operationId: 'listDefinitions',
  right: 'definitions',
  tags: ['Resource'],
  summary: 'List the registered resources',
  description:
    'With `label`, lists only the resources that have this label. Costs one read for each 1,000 definitions that it looks at. A response that ends before its closing bracket is incomplete.',
  request: { query: DefinitionsQuery },
  responses: { 200: answer('The definitions, sorted by name.', z.array(Definition)), ...parameterOperation },
});

export const definitionsRoute = (deps: Pick<OperationDeps, 'engine' | 'activity' | 'reads' | 'listings'>): Route =>
  route(
    definitionsOperation,
    (call) => answerList(call, deps, () => listDefinitions(deps, call.credential, call.query.label), jsonRows()),
    asIs,
  );

export const availableOperation = operation({
  method: 'get',
  path: '/api/v1/Resource/available/{resource}',
  operationId: 'isAvailable',
  right: 'definitions',
  tags: ['Resource'],
  summary: 'See whether a resource has a free slot',
  description:
    'The negation of `reserved` in a check: ancestors, blockers and queues do not count. Ask `reservable` of a check to learn whether a reserve would succeed.',
  request: { params: ResourceParams },
  responses: { 200: answer('True if it has a free slot.', z.boolean()), ...parameterOperation },
});

export const availableRoute = (deps: Pick<OperationDeps, 'engine' | 'activity' | 'reads'>): Route =>
  route(availableOperation, (call) => available(deps, call.credential, call.params.resource), charged);
