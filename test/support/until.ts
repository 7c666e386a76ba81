/**
 * Waits for a condition, with a deadline and a name for it; tests never just sleep.
 */
export async function until<T>(
  label: string,
  condition: () => Promise<T> | T,
  withinMs = 10_000,
): Promise<NonNullable<T>> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (performance.now() > deadline) throw new Error(`waited ${withinMs} ms in vain: ${label}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
