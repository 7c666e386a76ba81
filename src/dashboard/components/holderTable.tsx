/**
 * People and jobs with how much they held. The runs of a job are one: `ci-*`.
 */
import type { HolderUsage } from '../../domain/history.ts';
import { span } from '../assets/span.js';
import type { NameOf } from '../people.ts';
import { number } from '../words/numbers.ts';
import { isPerson, Person } from './person.tsx';
import { Scroll } from './tableParts.tsx';

/** The name of one, and whether it is a program; or of the runs of a job with how many there are. */
export const HolderName = ({ name, names, nameOf }: Pick<HolderUsage, 'name' | 'names'> & { nameOf: NameOf }) =>
  names === 1 ? (
    <Person requester={name} nameOf={nameOf} note={isPerson(name) ? undefined : 'program'} />
  ) : (
    <Person requester={name} nameOf={() => `${name}*`} note={`${number(names)} runs`} />
  );

const HOUR_MS = 3_600_000;
/** Below this many hours, minutes count. */
const FEW_HOURS = 10;

const heldText = (ms: number): string =>
  ms < FEW_HOURS * HOUR_MS ? span(ms) : `${number(Math.round(ms / HOUR_MS))} h`;

export const HolderTable = ({ holders, nameOf }: { holders: readonly HolderUsage[]; nameOf: NameOf }) => {
  const most = Math.max(1, ...holders.map(({ heldMs }) => heldMs));
  return (
    <Scroll label="People and jobs that held most">
      <table class="sums">
        <thead>
          <tr>
            <th scope="col">Who</th>
            <th scope="col" class="num">
              Held
            </th>
            <th scope="col">
              <span class="out-of-sight">Held, as a bar</span>
            </th>
            <th scope="col" class="num">
              Reservations
            </th>
            <th scope="col" class="num">
              Mean wait
            </th>
          </tr>
        </thead>
        <tbody>
          {holders.map(({ name, names, heldMs, reservations, meanWaitedMs }) => (
            <tr>
              <th scope="row">
                <HolderName name={name} names={names} nameOf={nameOf} />
              </th>
              <td class="num">{heldText(heldMs)}</td>
              <td class="share">
                <Share share={heldMs / most} />
              </td>
              <Sum label="Reservations" count={reservations} />
              <Sum label="Mean wait" ms={meanWaitedMs} />
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
};

/** A cell with a number, or with a time in ms. Rows of phones leave it out if it is 0 or nothing. */
export const Sum = ({ label, count, ms }: { label: string; count?: number; ms?: number | null }) => (
  <td data-label={label} class={(count ?? ms ?? 0) === 0 ? 'num none' : 'num'}>
    {count !== undefined ? number(count) : ms ? span(ms) : '–'}
  </td>
);

/** A share as a bar. Its figure stands beside it. */
export const Share = ({ share, isMuch = false }: { share: number; isMuch?: boolean }) => (
  <svg class="progress" aria-hidden="true">
    <rect class="track" width="100%" height="6" rx="3" />
    <rect class={isMuch ? 'much' : 'busy'} width={`${Math.round(Math.min(1, share) * 100)}%`} height="6" rx="3" />
  </svg>
);
