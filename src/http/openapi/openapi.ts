/**
 * The OpenAPI document: written from what the routes declare, without an app, for any configuration.
 */
import { OpenAPIRegistry, OpenApiGeneratorV31, zodToOpenAPIRegistry } from '@asteasolutions/zod-to-openapi';
import { z } from '@hono/zod-openapi';
import { forSizes, type Rules } from '../../contract/fields.ts';
import { DEFAULT_SIZES } from '../../domain/maxSizes.ts';
import { cookieName } from '../../identity/credentials.ts';
import { PreferHeaders } from '../call/minimal.ts';
import type { Operation } from '../call/operation.ts';
import { examples, withExamples } from '../reference/examples.ts';
import { adminAuditOperations, auditOperation } from '../routes/audit.ts';
import { bookingOperations } from '../routes/bookings.ts';
import { setConditionOperation } from '../routes/conditions.ts';
import { eventsOperation } from '../routes/events.ts';
import { historyOperation } from '../routes/history.ts';
import {
  activeReservationsOperation,
  cancelOperation,
  checkOperation,
  renewOperation,
  reserveOperation,
  resetOperation,
  transactionOperation,
  unreserveOperation,
  waitingOperation,
} from '../routes/reservations.ts';
import {
  availableOperation,
  definitionsOperation,
  deleteOperation,
  registerOperation,
  treeOperation,
} from '../routes/resources.ts';
import { healthOperations, versionOperation } from '../routes/service.ts';
import { sessionOperations } from '../routes/sessions.ts';
import { groupsOperations } from '../routes/tenant/groups.ts';
import { invitationsOperations } from '../routes/tenant/invitations.ts';
import { issuersOperations } from '../routes/tenant/issuers.ts';
import { keysOperations } from '../routes/tenant/keys.ts';
import { managementTokensOperations } from '../routes/tenant/managementTokens.ts';
import { membersOperations } from '../routes/tenant/members.ts';
import { noticesOperations } from '../routes/tenant/notices.ts';
import { slackOperations } from '../routes/tenant/slack.ts';
import { deleteTenantOperation, settingsOperations, tenantOperation } from '../routes/tenant/tenant.ts';
import { adminOperations } from '../routes/tenants.ts';
import { endTokenOperation, tokenOperation } from '../routes/token.ts';
import { usageOperation } from '../routes/usage.ts';
import { IdempotencyHeaders, withCommonHeaders, withRepeats } from './responses.ts';
import { schemesOf, securityOf } from './security.ts';

const DESCRIPTION = `Reserve, share and release named resources. Send your API key in the header \`X-Api-Key\`, or as \`Authorization: Bearer\`.
A 200 means that the request was processed; each item of the response has its own status.`;

const ABOUT = {
  openapi: '3.1.0',
  info: {
    title: 'Holdfast',
    version: '1',
    description: DESCRIPTION,
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: '/' }],
  tags: [
    {
      name: 'Reservation',
      description: 'Reserve resources, renew and release them, wait for them, and see who holds them.',
    },
    { name: 'Session', description: 'Keep many reservations with one heartbeat.' },
    { name: 'Booking', description: 'Book slots for a time ahead.' },
    { name: 'Resource', description: 'Register pools, trees and blockers, and see what is free.' },
    { name: 'Events', description: 'Watch every change as it happens.' },
    { name: 'Authentication', description: 'Exchange the JWTs of your users for tokens.' },
    { name: 'Keys', description: 'Make, change and delete API keys and management tokens.' },
    { name: 'Notices', description: 'Send events to webhooks, to Slack and by e-mail.' },
    { name: 'Tenant', description: 'See the tier and its limits, change the settings, read the audit trail.' },
    { name: 'Members', description: 'Invite people and give them roles.' },
    { name: 'Administration', description: 'Manage all tenants of the service, as an administrator.' },
    { name: 'Service', description: 'Probe an instance and read its version.' },
  ],
};

/** The operations of every instance that serves the API. */
const ALWAYS: readonly Operation[] = [
  reserveOperation,
  unreserveOperation,
  renewOperation,
  transactionOperation,
  checkOperation,
  activeReservationsOperation,
  historyOperation,
  cancelOperation,
  waitingOperation,
  resetOperation,
  ...sessionOperations,
  ...bookingOperations,
  registerOperation,
  setConditionOperation,
  definitionsOperation,
  treeOperation,
  availableOperation,
  usageOperation,
  deleteOperation,
  eventsOperation,
];

/** The operations that need a database. */
const WITH_DATABASE: readonly Operation[] = [
  tenantOperation,
  ...keysOperations,
  ...settingsOperations,
  ...issuersOperations,
  ...noticesOperations,
  ...slackOperations,
  ...membersOperations,
  ...invitationsOperations,
  ...groupsOperations,
  deleteTenantOperation,
  auditOperation,
  ...managementTokensOperations,
  ...adminOperations,
  ...adminAuditOperations,
];

const BothHeaders = IdempotencyHeaders.extend(PreferHeaders.shape);

/** The part of an instance's configuration that the document shows. */
export interface Described extends Rules {
  /** True if JWTs can be exchanged for tokens. */
  readonly hasIssuers: boolean;
  /** The name of the session cookie; null without a database. */
  readonly sessionCookie: string | null;
}

/** The instance that docs/openapi.json describes: one with a database and the default configuration. */
export const DEFAULT_INSTANCE: Described = {
  sizes: DEFAULT_SIZES,
  hasIssuers: true,
  sessionCookie: cookieName(undefined, 'session'),
};

/** Writes the OpenAPI document of an instance. */
export function openapiDocument({ sizes, hasIssuers, sessionCookie }: Described): object {
  const registry = new OpenAPIRegistry();
  const schemes = schemesOf(sessionCookie);
  for (const [name, scheme] of schemes) registry.registerComponent('securitySchemes', name, scheme);
  const known = new Set(schemes.keys());

  const operations: readonly Operation[] = [
    ...healthOperations,
    versionOperation,
    ...(hasIssuers ? [tokenOperation, endTokenOperation] : []),
    ...ALWAYS,
    ...(sessionCookie === null ? [] : WITH_DATABASE),
  ];
  for (const {
    body,
    request,
    query = request?.query,
    responses,
    isRepeatable = false,
    canBeMinimal = false,
    fillRequester: _,
    right,
    ...route
  } of operations)
    registry.registerPath({
      ...route,
      'x-right': right,
      security: securityOf(right, known),
      responses: named(isRepeatable ? withRepeats(responses) : responses),
      request: {
        ...request,
        ...(request?.params && { params: useIds(request.params) }),
        ...(query && { query: useIds(query) }),
        ...(isRepeatable && { headers: canBeMinimal ? BothHeaders : IdempotencyHeaders }),
        ...(body && {
          body: { required: true, content: { 'application/json': { schema: useIds(forSizes(body, sizes)) } } },
        }),
      },
    });
  const document = new OpenApiGeneratorV31(registry.definitions).generateDocument(ABOUT);
  return withExamples(withCommonHeaders(document), examples);
}

function named(responses: Operation['responses']): Operation['responses'] {
  for (const response of Object.values(responses)) {
    if ('$ref' in response) continue;
    const bodies = Object.values(response.content ?? {}).map((content) =>
      content && 'schema' in content ? content.schema : null,
    );
    for (const schema of [...bodies, response.headers]) if (schema instanceof z.ZodType) useIds(schema);
  }
  return responses;
}

/** Has the generator write each schema that has an id once, as a component of that name. */
function useIds<Schema extends z.ZodType>(schema: Schema): Schema {
  if (schema.meta()?.id !== undefined && !zodToOpenAPIRegistry.has(schema)) zodToOpenAPIRegistry.add(schema, {});
  for (const part of partsOf(schema)) if (part instanceof z.ZodType) useIds(part);
  return schema;
}

/** The schemas that a schema is made of. */
function partsOf(schema: z.ZodType): readonly z.core.$ZodType[] {
  if (schema instanceof z.ZodObject) return Object.values(schema.def.shape);
  if (schema instanceof z.ZodArray) return [schema.def.element];
  if (schema instanceof z.ZodUnion) return schema.def.options;
  if (schema instanceof z.ZodPipe) return [schema.def.in];
  const isWrapper =
    schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault;
  return isWrapper ? [schema.def.innerType] : [];
}
