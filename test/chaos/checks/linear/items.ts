/** Flattens calls into what each item of them says about one name. */
import type { ReserveItem } from '../../../../src/contract/reservations.ts';
import type { Call } from '../../history.ts';
import { FIXED } from '../../things.ts';
import { outcomeOf } from '../outcomes.ts';

export interface ItemSeen {
  readonly call: Call;
  readonly does: 'reserve' | 'release' | 'renew' | 'look';
  readonly resource: string;
  readonly requester: string;
  /** The status that it was answered; of a look `FREE` or `HELD`. Null: the outcome is unknown. */
  readonly status: string | null;
  /** The release token that was sent, or told. */
  readonly token: string | null;
  readonly expiresAt: string | null;
  readonly heldBy: string | null;
  readonly isShared: boolean;
  readonly session: string | undefined;
  readonly ttlSeconds: number | undefined;
  /** How long a grant waits for its caller. Undefined: it does not wait. */
  readonly claimSeconds: number | undefined;
}

/** Returns the items of a call; none if it was refused, so had no effect. */
export function itemsOf(call: Call): readonly ItemSeen[] {
  if (outcomeOf(call) === 'refused') return [];
  if (call.verb === 'reserve') return call.request.flatMap((item, i) => reserved(call, item, item, call.response?.[i]));
  if (call.verb === 'transaction') return ofTransaction(call);
  if (call.verb === 'unreserve') return call.request.map((item, i) => released(call, item, call.response?.[i]?.status));
  if (call.verb === 'renew')
    return call.request.map((item, i) => {
      const { status = null, expiresAt = null } = call.response?.[i] ?? {};
      const { requester, resource, ttlSeconds, releaseToken: token = null } = item;
      return { ...NONE, call, does: 'renew', resource, requester, status, token, expiresAt, ttlSeconds };
    });
  if (call.verb !== 'available' || call.response === null) return [];
  const status = call.response ? 'FREE' : 'HELD';
  return [{ ...NONE, call, does: 'look', resource: call.request, requester: '', status }];
}

const NONE = {
  token: null,
  expiresAt: null,
  heldBy: null,
  isShared: false,
  session: undefined,
  ttlSeconds: undefined,
  claimSeconds: undefined,
};

/** What a match may have taken if its answer does not say: all labels of FIXED are alike. */
const LABELLED = FIXED.filter(({ labels }) => labels).map(({ name }) => name);

/** The least that a request may ask for. */
const DEFAULT_CLAIM_SECONDS = 5;

interface Waiting {
  readonly waitSeconds?: number | undefined;
  readonly claimSeconds?: number | undefined;
}

interface Answer {
  readonly resource: string;
  readonly status: string;
  readonly explanation: string;
  readonly releaseToken?: string | null;
  readonly expiresAt?: string | null;
  readonly mode?: string | undefined;
  readonly heldBy?: { readonly requester: string | null } | undefined;
}

function reserved(
  call: Call,
  { requester, resource, match, mode, ttlSeconds, session }: ReserveItem | Omit<ReserveItem, keyof Waiting>,
  { waitSeconds = 0, claimSeconds = DEFAULT_CLAIM_SECONDS }: Waiting,
  answer: Answer | undefined,
): ItemSeen[] {
  const mayBeAny = answer === undefined || answer.status === 'WAITING';
  const names = match === undefined ? [resource] : answer?.releaseToken ? [answer.resource] : mayBeAny ? LABELLED : [];
  // A reason after the status, as in `ALREADY_HELD: you hold it SHARED`, says something else than the status.
  const isBare = answer?.status === answer?.explanation || answer?.releaseToken;
  return names.flatMap((name) =>
    name === undefined
      ? []
      : {
          call,
          does: 'reserve' as const,
          resource: name,
          requester,
          status: answer ? (isBare ? answer.status : (answer.status === 'WAITING' && answer.status) || 'OTHER') : null,
          token: answer?.releaseToken ?? null,
          expiresAt: answer?.expiresAt ?? null,
          heldBy: answer?.heldBy?.requester ?? null,
          isShared: (answer?.mode ?? mode) === 'SHARED',
          session,
          ttlSeconds,
          claimSeconds: waitSeconds > 0 ? claimSeconds : undefined,
        },
  );
}

function released(
  call: Call,
  {
    requester,
    resource,
    releaseToken,
  }: { requester: string; resource: string; releaseToken?: string | null | undefined },
  status: string | null = null,
): ItemSeen {
  return { ...NONE, call, does: 'release', resource, requester, status, token: releaseToken ?? null };
}

function ofTransaction(call: Extract<Call, { verb: 'transaction' }>): ItemSeen[] {
  const { requests, session, ...wait } = call.request;
  const names = requests.map(({ resource }) => resource);
  const isUndone = call.response?.status === 'ROLLED_BACK' || call.response?.status === 'WAITING';
  return requests.flatMap((item, i) => {
    const answer = call.response?.results[i];
    const seen =
      item.requestType === 'RESERVE'
        ? reserved(call, { ...item, session: item.session ?? session }, wait, answer)
        : [released(call, item, answer?.status)];
    if (!isUndone) return seen;
    // Nothing was done, and what an item saw may have been done by one before it.
    const isFirst = names.indexOf(item.resource) === i;
    return seen.filter(({ status }) => status === 'WAITING' || (isFirst && status === 'ALREADY_HELD'));
  });
}
