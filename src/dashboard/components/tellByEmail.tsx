/**
 * The box beside Join the queue by which a person chooses e-mail for when it is their turn.
 */
import type { EmailOffer } from '../actions/tellTurn.ts';

export const TellByEmail = ({ email: { address, isChosen } }: { email: EmailOffer }) =>
  isChosen ? (
    <p class="hint">You are told by e-mail when it is your turn.</p>
  ) : (
    <label class="check">
      <input type="checkbox" name="tell" value="email" /> Tell me by e-mail when it is my turn, at {address}, this time
      and in future
    </label>
  );
