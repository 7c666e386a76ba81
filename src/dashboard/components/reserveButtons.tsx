/**
 * The foot of the form that reserves: the button that takes it, or the place in the queue and the button that joins it.
 */
import type { Turn } from '../actions/joined.ts';
import type { EmailOffer } from '../actions/tellTurn.ts';
import { MY_NOTICES } from '../paths.ts';
import { ordinal } from '../words/numbers.ts';
import { Buttons } from './formPage.tsx';
import { TellByEmail } from './tellByEmail.tsx';
import { Clock, When } from './when.tsx';

export interface ReserveButtonsProps {
  /** False if it has to be waited for. */
  readonly canTake: boolean;
  /** The address that can tell the person's turn, and whether they have chosen that; null: none */
  readonly email: EmailOffer | null;
  /** The person's turn, if they joined the queue now; null: not known */
  readonly turn: Turn | null;
  /** The channels by which they learn of it while no page is open; null: not known */
  readonly told: readonly string[] | null;
  /** When the chosen time ends, in ms since 1970 UTC; null: not known */
  readonly end: number | null;
  /** The page that Cancel leads back to. */
  readonly back: string;
}

export const ReserveButtons = ({ canTake, email, turn, told, end, back }: ReserveButtonsProps) => (
  <div data-live="reserve-buttons">
    {!canTake && (
      <p class="hint">
        {turn !== null && <TurnText turn={turn} />}
        You join the queue for a day. When it is your turn, you have 10 minutes to take it; the time that you chose
        begins then.
      </p>
    )}
    {!canTake && told !== null && (
      <p class="hint">
        {told.length === 0
          ? 'With no page open, nothing tells you that it is your turn.'
          : `It is told to you by ${told.join(' and ')}, also with no page open.`}{' '}
        <a href={MY_NOTICES}>My notices</a>
      </p>
    )}
    {email !== null && <TellByEmail email={email} />}
    <Buttons back={back}>
      {canTake ? (
        <button type="submit" class="primary" id="reserve" name="act" value="reserve">
          <span>
            Reserve until <span data-until>{end === null ? '…' : <Clock at={end} />}</span>
          </span>
        </button>
      ) : (
        <button type="submit" class="primary" id="wait" name="act" value="wait">
          Join the queue
        </button>
      )}
    </Buttons>
  </div>
);

const TurnText = ({ turn: { place, at } }: { turn: Turn }) => (
  <>
    <strong>
      You would be {ordinal(place)}
      {at !== null && (
        <>
          ; expected about <When as="clock" at={at} />
        </>
      )}
      .
    </strong>{' '}
  </>
);
