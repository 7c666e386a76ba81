/**
 * /api/v1/Tenant/members: lists the tenant's members, changes their roles and removes them
 * (docs/specification.md#members).
 */
import { Member, MemberParams, Members, PageQuery, RemovedMember, RoleChange } from '../../../contract/members.ts';
import {
  changeRole,
  leave,
  listMembers,
  type MemberDeps,
  readMember,
  removeMember,
} from '../../../operations/members.ts';
import type { Member as MemberRow } from '../../../store/members.ts';
import { nextOf } from '../../call/listing.ts';
import { operation } from '../../call/operation.ts';
import { chargedAs, json } from '../../call/reply.ts';
import { type Route, route } from '../../call/route.ts';
import { answer, bodyOperation, parameterOperation, unknown } from '../../openapi/responses.ts';

const PATH = '/api/v1/Tenant/members';
const common = { tags: ['Members'], right: 'members' as const };

const listOperation = operation({
  ...common,
  method: 'get',
  path: PATH,
  operationId: 'listMembers',
  summary: 'List the members',
  description: 'Sorted by id, in pages.',
  request: { query: PageQuery },
  responses: { 200: answer('A page, sorted by id.', Members), ...parameterOperation },
});

const leaveOperation = operation({
  ...common,
  method: 'delete',
  path: `${PATH}/me`,
  operationId: 'leaveTenant',
  right: 'person',
  summary: 'Leave the tenant',
  description: 'Ends your sessions in it. The last owner cannot leave.',
  responses: { 200: answer('You are no member any more.', RemovedMember), ...unknown, ...parameterOperation },
});

const readOperation = operation({
  ...common,
  method: 'get',
  path: `${PATH}/{id}`,
  operationId: 'getMember',
  summary: 'See a member',
  description: 'With the role that counts, and where it comes from.',
  request: { params: MemberParams },
  responses: { 200: answer('The member.', Member), ...unknown, ...parameterOperation },
});

const putOperation = operation({
  ...common,
  method: 'put',
  path: `${PATH}/{id}`,
  operationId: 'changeMember',
  summary: 'Change the role of a member',
  description:
    'Holds on every instance once this call returns. The last owner keeps the role. Somebody who was removed becomes a member again. After a lower role, links of invitations let the person in no more, if they leave.',
  request: { params: MemberParams },
  body: RoleChange,
  responses: { 200: answer('The member.', Member), ...unknown, ...bodyOperation },
});

const removeOperation = operation({
  ...common,
  method: 'delete',
  path: `${PATH}/{id}`,
  operationId: 'removeMember',
  summary: 'Remove a member',
  description:
    'Once this call returns, their sessions and event streams have ended on every instance. Links of invitations let them in no more, and the invitations that they made are revoked.',
  request: { params: MemberParams },
  responses: { 200: answer('The removed member.', RemovedMember), ...unknown, ...parameterOperation },
});

export const membersOperations = [listOperation, leaveOperation, readOperation, putOperation, removeOperation];

const toBody = ({ createdAt, signedInAt, ...row }: MemberRow) => ({
  ...row,
  createdAt: createdAt.toISOString(),
  signedInAt: signedInAt.toISOString(),
});

export const membersRoutes = (deps: MemberDeps): readonly Route[] => [
  route(
    listOperation,
    (call) => listMembers(deps, call.actor, call.query.after, call.query.limit),
    chargedAs((rows, call) => ({ members: rows.map(toBody), next: nextOf(rows, call.query.limit, ({ id }) => id) })),
  ),
  route(readOperation, (call) => readMember(deps, call.actor, call.params.id), chargedAs(toBody)),
  route(putOperation, (call) => changeRole(deps, call.actor, call.params.id, call.body.role), chargedAs(toBody)),
  leaveOrRemove(deps),
];

/** One route for both: RegExpRouter takes no fixed path beside a parameter. */
function leaveOrRemove(deps: MemberDeps): Route {
  const leaving = route(
    { ...leaveOperation, path: removeOperation.path },
    async (call) => {
      const { id } = call.user;
      await leave(deps, call.actor, id);
      return id;
    },
    (id) => json({ removed: id }),
  );
  const removing = route(
    removeOperation,
    (call) => removeMember(deps, call.actor, call.params.id),
    (_, call) => json({ removed: call.params.id }),
  );
  return {
    ...removing,
    handler: (routeDeps) => {
      const [leaves, removes] = [leaving.handler(routeDeps), removing.handler(routeDeps)];
      return (c) => (c.req.param('id') === 'me' ? leaves(c) : removes(c));
    },
  };
}
