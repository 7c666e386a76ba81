/**
 * Sentences about who holds something: since when and until when, and what keeps others from a resource that is free
 * itself.
 */
import type { Reason } from '../../contract/reservationFields.ts';
import { PATH_DELIMITER } from '../../domain/names.ts';
import { type Hold, holderText } from '../../engine/reservations/holders.ts';
import type { HeldSlot } from '../../engine/reservations/resource.ts';
import { resourcePath } from './resourceTree.tsx';
import { When } from './when.tsx';

export const Held = ({ one: { hold, shares } }: { one: Pick<HeldSlot, 'hold' | 'shares'> }) => {
  if (hold.kind !== 'own')
    return (
      <>
        {hold.kind === 'shared' ? holderText(hold).replace('SHARED', 'Shared') : `Held along: ${holderText(hold)}`}
        {shares.length === 1 && shares[0] && <Times hold={shares[0]} />}
      </>
    );
  return (
    <>
      {hold.isUnclaimed ? 'Granted to' : 'Held by'} <strong>{hold.holder}</strong>
      <Times hold={hold} />
    </>
  );
};

const Times = ({
  hold: { since, until, isUnclaimed, hasSession },
}: {
  hold: Pick<Hold, 'since' | 'until' | 'isUnclaimed' | 'hasSession'>;
}) => (
  <>
    {' '}
    since <When at={since} as="clock" />,{' '}
    {until === null ? (
      'without an end'
    ) : (
      <>
        {isUnclaimed ? 'to be claimed by' : 'until'} <When at={until} as="clock" />, in <When at={until} as="in" />
        {hasSession && ' unless its session is renewed'}
      </>
    )}
  </>
);

/** Who is in the way of new requesters: what is taken, who has it, until when and why; or who it is kept for. */
export const NotAvailable = ({ by: { kind, resource, holders, more, next } }: { by: Reason }) => (
  <p>
    {kind === 'ANCESTOR' && (
      <>
        Not available to new requesters: <a href={resourcePath(resource)}>{resource}</a> is full.
      </>
    )}
    {kind === 'BLOCKER' && (
      <>
        Not available to new requesters: its blocker <a href={resourcePath(resource)}>{resource}</a> is not free.
      </>
    )}
    {kind === 'BOOKING' && 'Not available to new requesters: it is booked.'}
    {kind === 'QUEUE' && (
      <>
        Not available to new requesters: kept for <strong>{next[0]?.requester ?? 'others'}</strong>, who waits for it.
      </>
    )}
    {reservationsOf(holders).map((holder) => (
      <HolderSentence holder={holder} verb={kind === 'BOOKING' ? 'Booked' : 'Held'} />
    ))}
    {more > 0 && ` ${more} more ${more === 1 ? 'slot is' : 'slots are'} held.`}
  </p>
);

type Holder = Reason['holders'][number];

/** One for each reservation, whatever the number of its slots. */
const reservationsOf = (holders: readonly Holder[]): Holder[] => [
  ...new Map(holders.map((one) => [`${one.requester}\n${one.since}\n${one.resource}`, one])).values(),
];

const HolderSentence = ({ holder, verb }: { holder: Holder; verb: 'Held' | 'Booked' }) => {
  const { requester, resource, slot, since, until, note } = holder;
  const own = resource?.split(PATH_DELIMITER).at(-1) ?? slot;
  const isAlong = slot !== own && !slot.startsWith(`${own}_`);
  return (
    <>
      {isAlong && (
        <>
          {' '}
          <a href={resourcePath(own)}>{own}</a> takes it along.
        </>
      )}{' '}
      {verb} by <strong>{requester}</strong>
      {since !== null && <Times hold={{ since, until, isUnclaimed: false, hasSession: false }} />}
      {note !== null && <> ({note})</>}.
    </>
  );
};
