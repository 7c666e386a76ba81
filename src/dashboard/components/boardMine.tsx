/**
 * On phones the Board begins with what the person has, of which the first to end is shown: until when, how much of the
 * time is over, and Extend. All of it is on Mine. A turn is more urgent: it takes the place.
 */
import type { HeldFact } from '../board/lab.ts';
import type { Viewer } from '../env.ts';
import { actionPath } from '../paths.ts';
import { When } from './when.tsx';

/** The end of a reservation, for an order. */
const endOf = ({ untilMs }: HeldFact): number => untilMs ?? Number.POSITIVE_INFINITY;

export const BoardMine = ({ mine, viewer }: { mine: readonly HeldFact[]; viewer: Viewer }) => {
  // The banner has grants that are not taken yet.
  const granted = new Set(
    viewer.standings
      .filter(({ isGranted }) => isGranted)
      .flatMap(({ resources, waitsFor }) => [...resources, waitsFor]),
  );
  const held = mine
    .filter(({ name }) => !granted.has(name))
    .sort((one, other) => Number(endOf(one) > endOf(other)) - Number(endOf(one) < endOf(other)));
  const [first] = held;
  return (
    <div data-live="mine" class="yours">
      {first !== undefined && granted.size === 0 && (
        <>
          <p>
            <b>Yours</b>{' '}
            <a class="meta" href="/dashboard/mine">
              {held.length} {held.length === 1 ? 'thing' : 'things'}
            </a>
          </p>
          <ul>
            <Card hold={first} back={viewer.page} />
          </ul>
        </>
      )}
    </div>
  );
};

const Card = ({ hold, back }: { hold: HeldFact; back: string }) => {
  const { name, requester, sinceMs, untilMs } = hold;
  const share = untilMs === null ? null : Math.min(1, Math.max(0, (Date.now() - sinceMs) / (untilMs - sinceMs)));
  return (
    <li class="card">
      <span>
        <strong>{name}</strong>{' '}
        <span class="meta">
          {untilMs === null ? (
            'no end'
          ) : (
            <>
              until <When at={untilMs} as="clock" />
            </>
          )}
        </span>
      </span>
      <a class="button" href={actionPath('extend', { resource: name, requester, back })}>
        Extend<span class="out-of-sight"> {name}</span>
      </a>
      {share !== null && (
        <svg class="progress" height="6" aria-hidden="true">
          <rect class="track" width="100%" height="6" rx="3" />
          <rect class="done" width={`${Math.round(share * 100)}%`} height="6" rx="3" />
        </svg>
      )}
    </li>
  );
};
