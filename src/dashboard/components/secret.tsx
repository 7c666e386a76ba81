/** Secrets: a key that is shown on demand, and what is shown only once. */

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

/**
 * A secret right after it was made, on the only page that shows it.
 */
interface ShownOnceProps {
  readonly title: string;
  /** What it is, such as `token`. */
  readonly word: string;
  readonly value: string;
  /** What it is for; undefined: nothing is said */
  readonly hint?: string;
}

export const ShownOnce = ({ title, word, value, hint }: ShownOnceProps) => (
  <section aria-labelledby="made-title" class="secret">
    <h2 id="made-title">{title}</h2>
    <p>{hint} Copy it now: it is not shown again.</p>
    <p class="buttons">
      <button type="button" data-copy={`${word}-value`} hidden>
        Copy the {word}
      </button>
    </p>
    <pre>
      <code id={`${word}-value`}>{value}</code>
    </pre>
  </section>
);
