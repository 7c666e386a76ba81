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
  TreeNode,
} from '../../contract/definitions.ts';
import { PATH_DELIMITER } from '../../domain/names.ts';
import { detailsOf, notReadyOf } from '../../engine/definitions/codec.ts';
import type { TreeRow } from '../../engine/definitions/list.ts';
import { available, deleteDefinition, register } from '../../operations/definitions.ts';
import type { OperationDeps } from '../../operations/deps.ts';
import { listDefinitions, listTree } from '../../operations/lists.ts';
import { answerList, jsonRows, type ListWriter } from '../call/listing.ts';
import { operation } from '../call/operation.ts';
import { asIs, charged, chargedAs, NONE } from '../call/reply.ts';
import { type Route, route } from '../call/route.ts';
import { answer, anyOperation, bodyOperation, parameterOperation, unregistered } from '../openapi/responses.ts';

/**
 * The header that tells a caller which ancestors were registered along with its resources, and how
 * (docs/specification.md#registration). They have capacity 1, which surprises callers that wanted a folder.
 */
const NOTE_HEADER = 'Holdfast-Note';

/** Maximum number of bytes of the notes, not counting the last one, which says how many more there are. */
const MAX_BYTES = 2048;

/**
 * @param sent the items of the request
 * @param stored the definitions as stored
 * @returns null if no ancestor was registered
 */
export function noteOf(sent: readonly { readonly name: string }[], stored: readonly Definition[]): string | null {
  const names = new Set(sent.map(({ name }) => name));
  const ancestors = stored.filter(({ name }) => !names.has(name));
  const notes: string[] = [];
  let bytes = 0;
  for (const { name, capacity } of ancestors) {
    const note = `${quote(name)} was registered ${capacity === null ? 'as a group' : `with capacity ${capacity}`}`;
    bytes += note.length + 2;
    if (bytes > MAX_BYTES) break;
    notes.push(note);
  }
  if (notes.length < ancestors.length) notes.push(`and ${ancestors.length - notes.length} more`);
  return notes.length === 0 ? null : notes.join(', ');
}

/** Quotes a name. A header has visible ASCII and spaces only, so other characters are percent-encoded UTF-8. */
const quote = (name: string) => `"${name.replace(/[^ -~]|["%]/gu, encodeURIComponent)}"`;

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
    'With `label`, lists only the resources that have this label; with `condition`, those that have a slot in this condition. Costs one read for each 1,000 definitions that it looks at. A response that ends before its closing bracket is incomplete.',
  request: { query: DefinitionsQuery },
  responses: { 200: answer('The definitions, sorted by name.', z.array(Definition)), ...parameterOperation },
});

export const definitionsRoute = (deps: Pick<OperationDeps, 'engine' | 'activity' | 'reads' | 'listings'>): Route =>
  route(
    definitionsOperation,
    (call) => answerList(call, deps, () => listDefinitions(deps, call.credential, call.query), jsonRows()),
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

const responses = {
  200: answer('The roots. Children are sorted by name.', z.array(TreeNode)),
  ...anyOperation,
};

/** GET /api/v1/Resource/tree: lists all registered resources as trees, with their free slots. */
export const treeOperation = operation({
  method: 'get',
  path: '/api/v1/Resource/tree',
  operationId: 'getTree',
  right: 'definitions',
  tags: ['Resource'],
  summary: 'List the registered resources as trees, with their free slots',
  description:
    'Costs one read for each 1,000 definitions. A response that ends before its closing bracket is incomplete.',
  responses,
});

/** Writes rows that come from the roots down as nested nodes. */
export function nestedNodes(): ListWriter<TreeRow> {
  const path: string[] = [];
  let text = '[';
  const take = () => {
    const taken = text;
    text = '';
    return taken;
  };
  return {
    write: (rows) => {
      for (const { name, depth, capacity, available, waiting, labels, outOfService, dirty, bookedFrom } of rows) {
        // Closes the nodes that are not above this one; one that follows another at its depth is its sibling.
        if (path.length > depth) text += `${']}'.repeat(path.length - depth)},`;
        path.length = depth;
        path.push(name);
        const details = detailsOf(capacity === null, labels);
        const fields = { name, path: path.join(PATH_DELIMITER), capacity, available, waiting, ...details };
        const node = JSON.stringify({ ...fields, ...notReadyOf({ outOfService, dirty }), bookedFrom });
        text += `${node.slice(0, -1)},"children":[`;
      }
      return take();
    },
    end: () => {
      text += `${']}'.repeat(path.length)}]`;
      return take();
    },
  };
}

export const treeRoute = (deps: Pick<OperationDeps, 'engine' | 'activity' | 'reads' | 'listings'>): Route =>
  route(treeOperation, (call) => answerList(call, deps, () => listTree(deps, call.credential), nestedNodes()), asIs);
