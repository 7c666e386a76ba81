/**
 * An API key, hidden until a person opens it, with buttons that copy it and a curl line that uses it.
 */

export interface SecretProps {
  readonly value: string;
  /** The origin of the service as people see it. */
  readonly origin: string;
}

export const Secret = ({ value, origin }: SecretProps) => (
  <div class="secret">
    <p class="buttons">
      <button type="button" data-copy="key-value" hidden>
        Copy the key
      </button>{' '}
      <button type="button" data-copy="key-curl" hidden>
        Copy a curl line
      </button>
    </p>
    <details id="key-shown">
      <summary>Show the key, and a curl line that uses it</summary>
      <pre>
        <code id="key-value">{value}</code>
      </pre>
      <pre>
        <code id="key-curl">{curl(origin, value)}</code>
      </pre>
    </details>
  </div>
);

const curl = (origin: string, key: string) =>
  `curl -s ${origin}/api/v1/Reservation/reserve -H 'X-Api-Key: ${key}' -H 'Content-Type: application/json' -d '[{"resource": "printer", "requester": "me", "ttlSeconds": 60}]'`;
