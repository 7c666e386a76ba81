/**
 * The style sheet and the script of the reference's pages.
 */
export const STYLE = `:root {
  color-scheme: light dark;
  --text: light-dark(#1c2430, #e3e8ef);
  --soft: light-dark(#566174, #9aa7ba);
  --line: light-dark(#d9dfe8, #323c4c);
  --back: light-dark(#ffffff, #12171f);
  --code: light-dark(#f4f6f9, #1a212c);
  --link: light-dark(#0b5cad, #7db7f5);
}
* { box-sizing: border-box; }
body { margin: 0; color: var(--text); background: var(--back); font: 16px/1.55 system-ui, sans-serif; }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding: .75rem 1.25rem; border-bottom: 1px solid var(--line); }
nav a { color: var(--soft); text-decoration: none; }
nav a:hover, nav a[aria-current] { color: var(--text); text-decoration: underline; text-underline-offset: .3em; }
main { max-width: 62rem; margin: 0 auto; padding: 1rem 1.25rem 4rem; overflow-wrap: break-word; }
h1 { font-size: 1.8rem; line-height: 1.2; }
h2 { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); font-size: 1.35rem; }
a { color: var(--link); }
code { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
:not(pre) > code { padding: .1em .3em; background: var(--code); border-radius: 4px; }
pre { padding: .75rem 1rem; overflow-x: auto; background: var(--code); border: 1px solid var(--line); border-radius: 6px; }
.table { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; width: 100%; font-size: .9375rem; }
th, td { padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); text-align: start; vertical-align: top; }
td { min-width: 6rem; overflow-wrap: anywhere; }
td:last-child { min-width: 16rem; }
th { color: var(--soft); font-weight: 600; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
`;

/** A proxy may have another address than the instance sees: the browser knows it. */
export const ORIGIN_SCRIPT = `const address = location.href.replace(/\\/docs(\\/[a-z]*)?([?#].*)?$/, '');
for (const one of document.querySelectorAll('.origin')) one.textContent = address;
`;
