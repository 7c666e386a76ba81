/**
 * /api/v1/Tenant/groups: the roles that groups of the identity provider give (docs/specification.md#members).
 */
import { DeletedGroup, GroupParams, GroupRole, Groups, GroupsQuery, RoleChange } from '../../../contract/members.ts';
import { deleteGroup, listGroups, putGroup, readGroup } from '../../../operations/groups.ts';
import type { MemberDeps } from '../../../operations/members.ts';
import type { GroupRole as GroupRow } from '../../../store/groupRoles.ts';
import { nextOf } from '../../call/listing.ts';
import { operation } from '../../call/operation.ts';
import { chargedAs } from '../../call/reply.ts';
import { type Route, route } from '../../call/route.ts';
import { answer, bodyOperation, parameterOperation, unknown } from '../../openapi/responses.ts';

const PATH = '/api/v1/Tenant/groups';
const common = { tags: ['Members'], right: 'members' as const };

const listOperation = operation({
  ...common,
  method: 'get',
  path: PATH,
  operationId: 'listGroups',
  summary: 'List the groups that have a role',
  description: 'Groups of the identity provider, sorted by name, in pages.',
  request: { query: GroupsQuery },
  responses: { 200: answer('A page, sorted by group.', Groups), ...parameterOperation },
});

const readOperation = operation({
  ...common,
  method: 'get',
  path: `${PATH}/{group}`,
  operationId: 'getGroup',
  summary: 'See the role of a group',
  description: 'The role that people of this group get at their sign-in.',
  request: { params: GroupParams },
  responses: { 200: answer('The group.', GroupRole), ...unknown, ...parameterOperation },
});

const putOperation = operation({
  ...common,
  method: 'put',
  path: `${PATH}/{group}`,
  operationId: 'putGroup',
  summary: 'Give a group a role',
  description:
    'A group is added by an owner who is in it. Its people become members, or get another role, at their next sign-in.',
  request: { params: GroupParams },
  body: RoleChange,
  responses: { 200: answer('The group.', GroupRole), ...bodyOperation },
});

const deleteOperation = operation({
  ...common,
  method: 'delete',
  path: `${PATH}/{group}`,
  operationId: 'deleteGroup',
  summary: 'Take the role of a group',
  description: 'Its people lose the role at their next sign-in, within 12 hours.',
  request: { params: GroupParams },
  responses: { 200: answer('The group.', DeletedGroup), ...unknown, ...parameterOperation },
});

export const groupsOperations = [listOperation, readOperation, putOperation, deleteOperation];

const toBody = ({ createdAt, ...row }: GroupRow) => ({ ...row, createdAt: createdAt.toISOString() });

export const groupsRoutes = (deps: MemberDeps): readonly Route[] => [
  route(
    listOperation,
    (call) => listGroups(deps, call.actor, call.query.after, call.query.limit),
    chargedAs((rows, call) => ({
      groups: rows.map(toBody),
      next: nextOf(rows, call.query.limit, ({ group }) => group),
    })),
  ),
  route(readOperation, (call) => readGroup(deps, call.actor, call.params.group), chargedAs(toBody)),
  route(
    putOperation,
    (call) => {
      const { actor, params, body } = call;
      // A management token is in no group.
      const groups = actor.credential.kind === 'session' ? call.user.groups : [];
      return putGroup(deps, actor, groups, params.group, body.role);
    },
    chargedAs(toBody),
  ),
  route(
    deleteOperation,
    (call) => deleteGroup(deps, call.actor, call.params.group),
    chargedAs((_, call) => ({ deleted: call.params.group })),
  ),
];
