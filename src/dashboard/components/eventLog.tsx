/**
 * Events as they happen, which assets/live.js writes: of all resources, or of one.
 */
import { CONDITION_WORDS } from '../words/conditionWords.ts';
import { EVENT_WORDS } from '../words/noticeWords.ts';

const WORDS = JSON.stringify({ ...EVENT_WORDS, ...CONDITION_WORDS, ready: 'Back in service' });

/** Events of one resource. Without scripts there are none, and nothing is shown. */
export const EventLog = ({ of }: { of: string }) => (
  <section class="card" aria-labelledby="events-title" id="events-part" hidden>
    <EventHead />
    <EventTable of={of} />
  </section>
);

/** The head of the card of the events. */
export const EventHead = () => (
  <header>
    <h2 id="events-title">As it happens</h2>
    <span class="end meta">
      Stream:{' '}
      <strong id="connection" role="status">
        not connected
      </strong>
    </span>
  </header>
);

/** @param props.of a resource: only its events; absent: all */
export const EventTable = ({ of }: { of?: string }) => (
  <div class="scroll log" tabindex={0} role="log" aria-live="off" aria-label="Events, the newest first">
    <table class="stacked">
      <thead>
        <tr>
          <th scope="col">Time</th>
          <th scope="col">Type</th>
          <th scope="col">Resource</th>
          <th scope="col">Who</th>
          <th scope="col">What</th>
          <th scope="col">Key</th>
        </tr>
      </thead>
      <tbody id="events" data-of={of} data-words={WORDS} />
    </table>
    <p class="pad quiet">Nothing yet. Events appear here as they happen.</p>
  </div>
);
