/**
 * Events as they happen, which assets/live.js writes: of all resources, or of one.
 */

/** Events of one resource. Without scripts there are none, and nothing is shown. */
export const EventLog = ({ of }: { of: string }) => (
  <section aria-labelledby="events-title" id="events-part" hidden>
    <h2 id="events-title">Events as they happen</h2>
    <p>
      Stream:{' '}
      <strong id="connection" role="status">
        not connected
      </strong>
    </p>
    <EventTable of={of} />
  </section>
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
      <tbody id="events" data-of={of} />
    </table>
  </div>
);
