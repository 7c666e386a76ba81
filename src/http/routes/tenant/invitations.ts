/**
 * /api/v1/Tenant/invitations: invites people by address or by a link, and revokes invitations
 * (docs/specification.md#members).
 */
import {
  DeletedInvitation,
  Invitation,
  Invitations,
  InvitationWithLink,
  MemberParams,
  NewInvitation,
  PageQuery,
} from '../../../contract/members.ts';
import {
  createInvitation,
  deleteInvitation,
  listInvitations,
  readInvitation,
} from '../../../operations/invitations.ts';
import type { MemberDeps } from '../../../operations/members.ts';
import type { Invitation as InvitationRow } from '../../../store/invitations.ts';
import { nextOf } from '../../call/listing.ts';
import { operation } from '../../call/operation.ts';
import { charged, chargedAs, json } from '../../call/reply.ts';
import { type Route, route } from '../../call/route.ts';
import { answer, bodyOperation, parameterOperation, unknown } from '../../openapi/responses.ts';

const PATH = '/api/v1/Tenant/invitations';
const common = { tags: ['Members'], right: 'members' as const };

const listOperation = operation({
  ...common,
  method: 'get',
  path: PATH,
  operationId: 'listInvitations',
  summary: 'List the open invitations',
  description: 'Sorted by id, in pages. Links are not shown again.',
  request: { query: PageQuery },
  responses: { 200: answer('A page, sorted by id.', Invitations), ...parameterOperation },
});

const createOperation = operation({
  ...common,
  method: 'post',
  path: PATH,
  operationId: 'createInvitation',
  summary: 'Invite somebody',
  description:
    'With `email`, the person with that verified address joins at the next sign-in. Without it, the response has a link, and anybody who has the link can join, but for those who were removed or got a lower role. It is revoked when you may invite no more. No e-mail is sent.',
  body: NewInvitation,
  responses: {
    200: answer('It exists already, with this id.', InvitationWithLink),
    201: answer('The invitation.', InvitationWithLink),
    ...bodyOperation,
  },
});

const readOperation = operation({
  ...common,
  method: 'get',
  path: `${PATH}/{id}`,
  operationId: 'getInvitation',
  summary: 'See an open invitation',
  description: 'Without its link, which is shown once.',
  request: { params: MemberParams },
  responses: { 200: answer('The invitation.', Invitation), ...unknown, ...parameterOperation },
});

const deleteOperation = operation({
  ...common,
  method: 'delete',
  path: `${PATH}/{id}`,
  operationId: 'deleteInvitation',
  summary: 'Revoke an invitation',
  description: 'Who has joined by it stays a member.',
  request: { params: MemberParams },
  responses: { 200: answer('The revoked invitation.', DeletedInvitation), ...unknown, ...parameterOperation },
});

export const invitationsOperations = [listOperation, createOperation, readOperation, deleteOperation];

const toBody = ({ createdAt, expiresAt, ...row }: InvitationRow) => ({
  ...row,
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
});

/** @param publicUrl the origin of links; undefined: the one that the request was sent to */
export const invitationsRoutes = (
  deps: MemberDeps,
  { publicUrl }: { readonly publicUrl: string | undefined },
): readonly Route[] => [
  route(
    listOperation,
    (call) => listInvitations(deps, call.actor, call.query.after, call.query.limit),
    chargedAs((rows, call) => ({
      invitations: rows.map(toBody),
      next: nextOf(rows, call.query.limit, ({ id }) => id),
    })),
  ),
  route(
    createOperation,
    (call) => createInvitation(deps, call.actor, call.body),
    ({ result: { row, isNew, secret }, quota }, call) => {
      const link = secret === null ? null : `${publicUrl ?? new URL(call.c.req.url).origin}/join/${secret}`;
      return charged({ result: { ...toBody(row), link }, quota }, call, isNew ? 201 : 200);
    },
  ),
  route(readOperation, (call) => readInvitation(deps, call.actor, call.params.id), chargedAs(toBody)),
  route(
    deleteOperation,
    (call) => deleteInvitation(deps, call.actor, call.params.id),
    (_, call) => json({ deleted: call.params.id }),
  ),
];
