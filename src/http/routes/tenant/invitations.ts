/**
 * /api/v1/Tenant/invitations: invites people by address or by a link, and revokes invitations
 * (docs/specification.md#members).
 */
import { OpenAPIHono } from '@hono/zod-openapi';
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
import type { BodyDeps } from '../../deps.ts';
import type { AppEnv } from '../../env.ts';
import { bySession, type SessionDeps } from '../../middleware/bySession.ts';
import { nextOf } from '../../nextOf.ts';
import { operation, withBody } from '../../operation.ts';
import { answer, bodyOperation, parameterOperation, unknown } from '../../responses.ts';

const PATH = '/api/v1/Tenant/invitations';
const common = { tags: ['Members'], right: 'members' as const };

const listed = operation({
  ...common,
  method: 'get',
  path: PATH,
  operationId: 'listInvitations',
  summary: 'List the open invitations',
  description: 'Sorted by id, in pages. Links are not shown again.',
  request: { query: PageQuery },
  responses: { 200: answer('A page, sorted by id.', Invitations), ...parameterOperation },
});

const made = operation({
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

const read = operation({
  ...common,
  method: 'get',
  path: `${PATH}/{id}`,
  operationId: 'getInvitation',
  summary: 'See an open invitation',
  description: 'Without its link, which is shown once.',
  request: { params: MemberParams },
  responses: { 200: answer('The invitation.', Invitation), ...unknown, ...parameterOperation },
});

const deleted = operation({
  ...common,
  method: 'delete',
  path: `${PATH}/{id}`,
  operationId: 'deleteInvitation',
  summary: 'Revoke an invitation',
  description: 'Who has joined by it stays a member.',
  request: { params: MemberParams },
  responses: { 200: answer('The revoked invitation.', DeletedInvitation), ...unknown, ...parameterOperation },
});

export const invitationsOperations = [listed, made, read, deleted];

const toBody = ({ createdAt, expiresAt, ...row }: InvitationRow) => ({
  ...row,
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
});

/** @param publicUrl the origin of links; undefined: the one that the request was sent to */
export const invitationsRoutes = (
  deps: BodyDeps & SessionDeps & MemberDeps,
  { publicUrl }: { readonly publicUrl: string | undefined },
) =>
  new OpenAPIHono<AppEnv>()
    .openapi({ ...listed, middleware: bySession(deps, listed.right) }, async (c) => {
      const { after, limit } = c.req.valid('query');
      const { result, quota } = await listInvitations(deps, c.get('actor'), after, limit);
      c.set('quota', quota);
      return c.json({ invitations: result.map(toBody), next: nextOf(result, limit, ({ id }) => id) }, 200);
    })
    .openapi(withBody(made, deps, bySession(deps, made.right)), async (c) => {
      const { result, quota } = await createInvitation(deps, c.get('actor'), c.get('body'));
      c.set('quota', quota);
      const { row, isNew, secret } = result;
      const link = secret === null ? null : `${publicUrl ?? new URL(c.req.url).origin}/join/${secret}`;
      return c.json({ ...toBody(row), link }, isNew ? 201 : 200);
    })
    .openapi({ ...read, middleware: bySession(deps, read.right) }, async (c) => {
      const { result, quota } = await readInvitation(deps, c.get('actor'), c.req.valid('param').id);
      c.set('quota', quota);
      return c.json(toBody(result), 200);
    })
    .openapi({ ...deleted, middleware: bySession(deps, deleted.right) }, async (c) => {
      const { id } = c.req.valid('param');
      await deleteInvitation(deps, c.get('actor'), id);
      return c.json({ deleted: id }, 200);
    });
