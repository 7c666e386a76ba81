/**
 * POST /integrations/slack/<tenant>: requests of a tenant's Slack app (docs/specification.md#reserving-from-slack).
 * Slack wants an answer within 3 s. A result that takes longer goes to the address that the request names.
 */

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Logger } from 'pino';
import { HoldfastError, LimitError } from '../domain/errors.ts';
import { TENANT_ID } from '../domain/names.ts';
import { asService } from '../domain/tenants.ts';
import { countSignature } from '../engine/tenant/slack.ts';
import { addressOf } from '../http/admission/clientAddress.ts';
import { wholeBody } from '../http/call/body.ts';
import type { Call } from '../http/call/call.ts';
import { asIs, json, NONE, type Reply } from '../http/call/reply.ts';
import { openRoute, type Route } from '../http/call/route.ts';
import type { HttpDeps, TenantDeps } from '../http/deps.ts';
import { logFault } from '../http/errors.ts';
import { makeSlackLink } from '../operations/slack.ts';
import { post } from '../outgoing/request.ts';
import { isSlackHook, type SlackSite } from '../outgoing/slack.ts';
import { findSlackApp } from '../store/slack.ts';
import { carryOut } from './carryOut.ts';
import { type Message, say } from './messages.ts';
import { actFor, type Person, type PersonDeps } from './person.ts';
import { type Asked, askedIn, isProbe } from './requests.ts';
import { errorText, HELP } from './texts.ts';

export type SlackEndpointDeps = HttpDeps &
  TenantDeps &
  Pick<PersonDeps, 'memberships'> & { readonly publicUrl: string | undefined };

/** Time of a request until Slack is told that the result comes later: it waits for 3 s. */
const PATIENCE_MS = 2000;
/** Time in which Slack must take an answer that comes later. */
const TAKEN_WITHIN_MS = 10_000;

const WORKING = say('Working on it …');
const NOTHING: Reply = { status: 200, body: null, headers: NONE };

const unauthenticated = () => new HoldfastError('unauthenticated', 'This request is not signed by the Slack app.');

/** A request that is signed by the app of its tenant. */
interface Verified {
  readonly tenant: string;
  readonly body: string;
  readonly signed: Signed;
  readonly teamId: string;
  readonly teamName: string;
}

export function slackRoute(deps: SlackEndpointDeps): Route {
  const { failedAuthentications, trustedProxies } = deps;
  const run = async (call: Call): Promise<Reply> => {
    const address = addressOf(call.incoming, trustedProxies);
    try {
      const verified = await admitted(deps, call, address);
      call.credential = asService(verified.tenant);
      return await answer(deps, call, verified, address);
    } catch (error) {
      if (error instanceof HoldfastError && error.code === 'unauthenticated')
        await failedAuthentications.count(address);
      throw error;
    }
  };
  return openRoute({ method: 'post', path: '/integrations/slack/{tenant}' }, run, asIs);
}

/**
 * Verifies a request. Slack's own addresses send the requests of all apps, also of those that are not ours: from an
 * address that failed too often, some are verified in every second.
 * @throws HoldfastError unauthenticated, unavailable; LimitError
 */
async function admitted(deps: SlackEndpointDeps, call: Call, address: string): Promise<Verified> {
  let verified: Verified | undefined;
  const verify = async () => {
    verified = await verifiedRequest(deps, call, call.c.req.param('tenant') ?? '');
  };
  // Callers choose the signature, which must not pass for a credential that was valid lately.
  const tried = `slack:${call.incoming.headers['x-slack-signature']}`;
  if (!(await deps.failedAuthentications.mayTry(address, tried, verify))) await verify();
  if (verified === undefined) throw new TypeError('a request was neither verified nor refused');
  return verified;
}

/** @throws HoldfastError unauthenticated, unavailable */
async function verifiedRequest(deps: SlackEndpointDeps, call: Call, tenant: string): Promise<Verified> {
  const { store, sealer, sizes } = deps;
  const signed = signedBy(call.incoming.headers);
  if (signed === null || !TENANT_ID.test(tenant)) throw unauthenticated();
  // Before the app is looked up: a body that is too large or does not arrive must not tell whether there is one.
  const { readBody, rawBody = Buffer.alloc(0) } = call.incoming;
  const body =
    readBody === undefined ? rawBody : await wholeBody(readBody(undefined, sizes.bodyBytes), sizes.bodyBytes);
  const app = await findSlackApp(store, tenant);
  if (app === null) throw unauthenticated();
  const secret = await sealer.open(app.signingSecret).catch((error: unknown) => {
    logFault(call, error, 'the signing secret of a Slack app cannot be read: KEY_SECRET was another one');
    throw unauthenticated();
  });
  if (!isSigned(signed, secret, body)) throw unauthenticated();
  return { tenant, body: body.toString(), signed, teamId: app.teamId, teamName: app.teamName };
}

/** @throws HoldfastError unauthenticated; others are answers to the person */
async function answer(deps: SlackEndpointDeps, call: Call, verified: Verified, address: string): Promise<Reply> {
  if (isProbe(verified.body)) return NOTHING;
  const asked = askedIn(verified.body);
  if (asked === null || asked.teams.some((team) => team !== verified.teamId)) throw unauthenticated();
  const work = actFor(
    deps,
    verified.tenant,
    { teamId: verified.teamId, userId: asked.userId },
    address,
    async (person) => {
      if (!(await countSignature(deps.engine, verified.tenant, verified.signed.signature))) throw new Replayed();
      return asked.command === null ? null : messageFor(deps, verified, asked, person);
    },
  ).catch((error: unknown) => {
    if (error instanceof Replayed) throw unauthenticated();
    if (error instanceof LimitError) deps.metrics?.countRefusal(error.hit.limitType);
    return say(errorText(error) ?? faultText(call, error));
  });
  return inTime(deps, call, asked, work);
}

/** A signature that has counted before. */
class Replayed extends Error {}

function faultText(call: Call, error: unknown): string {
  logFault(call, error, 'a command from Slack failed');
  return 'That did not work. It has been logged.';
}

const ephemeral = (message: Message) => ({ response_type: 'ephemeral', ...message });

/** Answers with the result, or sends it later. Clicks are only confirmed: their result is always sent. */
async function inTime(
  deps: SlackEndpointDeps,
  call: Call,
  asked: Asked,
  work: Promise<Message | null>,
): Promise<Reply> {
  const { by, responseUrl, isReplaced } = asked;
  const canSend = isSlackHook(deps.slack, responseUrl);
  const send = async (message: Message | null): Promise<void> => {
    if (message === null || !canSend) return;
    await answerLater(deps.slack, responseUrl, { ...ephemeral(message), replace_original: isReplaced }, call.log);
  };
  const done = by === 'button' ? work.then((message) => send(message).then(() => null)) : work;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS - (performance.now() - call.startMs), 'late');
  });
  const first = await Promise.race([done, late]).finally(() => clearTimeout(timer));
  if (first !== 'late') return first === null ? NOTHING : json(ephemeral(first));
  deps.background.add(
    done
      .then(send)
      .catch((error: unknown) => call.log.warn({ requestId: call.requestId, err: error }, 'a late answer failed')),
  );
  return by === 'button' ? NOTHING : json(ephemeral(WORKING));
}

const NOT_LINKED = 'Your account is not linked yet. `/holdfast link` does it.';

async function messageFor(
  deps: SlackEndpointDeps,
  { tenant, teamId, teamName }: Verified,
  { command, userId, userName }: Asked,
  person: Person | null,
): Promise<Message | null> {
  if (command === null) return null;
  if ('fault' in command)
    return say(`${errorText(new HoldfastError('refused', command.fault))} \`/holdfast help\` lists the commands.`);
  if (command.verb === 'help') return say(HELP);
  if (command.verb !== 'link') return person === null ? say(NOT_LINKED) : carryOut(deps, person, command);
  if (deps.publicUrl === undefined)
    return say('Accounts cannot be linked: the operator of the service has not set PUBLIC_URL.');
  const secret = await makeSlackLink(deps, { tenant, teamId, userId, userName, teamName });
  const address = `${deps.publicUrl}/dashboard/slack?${new URLSearchParams({ link: secret })}`;
  return say(`<${address}|Link your account>, within 10 minutes. The link works once: give it to nobody.`);
}

/**
 * Sends an answer to the address that a request names. Never fails: a log line says that Slack did not take it, without
 * the address, which is a secret.
 */
async function answerLater({ rules }: SlackSite, address: string, body: object, log: Logger): Promise<void> {
  try {
    const { status } = await post(address, {
      headers: { 'Content-Type': 'application/json; charset=utf-8' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TAKEN_WITHIN_MS),
      rules,
    });
    if (status !== 200) log.warn({ status }, 'Slack refused an answer');
  } catch {
    log.warn('an answer could not be sent to Slack');
  }
}

/** Age from which a request is refused, in s; also how far ahead its clock may be. */
const MAX_AGE_S = 300;
const SIGNATURE = /^v0=[0-9a-f]{64}$/;
const SECONDS = /^\d{1,12}$/;

/** The headers that prove where a request comes from: a time, and an HMAC-SHA256 of it and the raw body. */
interface Signed {
  readonly timestamp: string;
  readonly signature: string;
}

/** Reads the headers; null: a header is missing or malformed, or the request is too old. */
function signedBy(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  nowMs = Date.now(),
): Signed | null {
  const timestamp = String(headers['x-slack-request-timestamp']);
  const signature = String(headers['x-slack-signature']);
  if (!SECONDS.test(timestamp) || !SIGNATURE.test(signature)) return null;
  return Math.abs(nowMs / 1000 - Number(timestamp)) > MAX_AGE_S ? null : { timestamp, signature };
}

export const sign = (secret: string, timestamp: string, body: Uint8Array): string =>
  `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest('hex')}`;

/** Returns true if somebody who knows the secret has sent the body. */
const isSigned = ({ timestamp, signature }: Signed, secret: string, body: Uint8Array): boolean =>
  timingSafeEqual(Buffer.from(signature), Buffer.from(sign(secret, timestamp, body)));
