/**
 * Adds what pages cannot do without a script: copy buttons, and what it imports. Without it, pages show the same
 * content.
 */
import './act.js';
import './exactTime.js';
import './notify.js';
import './palette.js';
import './renew.js';
import './shortcuts.js';
import { say } from './dialogs.js';

for (const button of document.querySelectorAll('button[data-print]')) {
  if (!(button instanceof HTMLButtonElement)) continue;
  button.hidden = false;
  button.addEventListener('click', () => print());
}
// For times of the day that the server offers, as 17:00.
// biome-ignore lint/suspicious/noDocumentCookie: Firefox has no cookie store
document.cookie = `holdfast_zone=${Intl.DateTimeFormat().resolvedOptions().timeZone}; path=/; max-age=31536000; samesite=lax`;

for (const button of document.querySelectorAll('button[data-copy]')) {
  if (!(button instanceof HTMLButtonElement)) continue;
  const label = button.textContent;
  button.hidden = false;
  button.addEventListener('click', async () => {
    const text = document.getElementById(button.dataset.copy ?? '')?.textContent ?? '';
    try {
      await navigator.clipboard.writeText(text);
      say('Copied.');
      button.textContent = 'Copied';
      setTimeout(() => {
        button.textContent = label;
      }, 2000);
    } catch {
      say('The browser did not allow it: show the key and copy it by hand.');
    }
  });
}
