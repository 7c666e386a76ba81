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
