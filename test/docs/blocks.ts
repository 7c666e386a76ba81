/**
 * The code blocks of a Markdown page, and what the word after the language asks the tests to do:
 *
 * sh             runs it. The blocks of a page share one shell and one service, in the order of the page
 * sh background  starts it; it runs until the end of the page
 * sh fails       runs it; it must fail
 * json or text output   compares it with what the last command printed. Identifiers, times and large numbers may
 *                differ; `...` leaves something out
 * json           parses it
 * ts             checks its types and runs it. A block that does not import the client gets `holdfast`, a client
 * ts check       checks its types only. declared.d.ts declares functions of the reader's own program
 * python         the same for Python; it gets `client`. The types are checked with mypy
 * go             the same for Go; a block without `package main` gets `ctx`, `client` and `err`. Checked with go vet
 * excerpt        after any of these: does nothing, since it cannot run here
 *
 * Blocks with a title, ```ts [TypeScript], that follow each other are tabs on the site. All of them run, and each
 * prints the output below.
 *
 * Other languages, such as yaml, are left alone. The tests put the address and the key of a service of their own in
 * place of localhost:8080 and hf_local_..., and set KEY, HOLDFAST_URL and HOLDFAST_KEY. The service has no database,
 * unless pages.ts gives the page another one.
 */

const WORDS: Readonly<Record<string, readonly string[]>> = {
  sh: ['', 'background', 'fails', 'excerpt'],
  ts: ['', 'check', 'excerpt'],
  python: ['', 'check', 'excerpt'],
  go: ['', 'check', 'excerpt'],
  json: ['', 'output', 'excerpt'],
  text: ['', 'output', 'excerpt'],
};

/** Languages that have another name here. */
const NAMES: Readonly<Record<string, string>> = {
  bash: 'sh',
  shell: 'sh',
  typescript: 'ts',
  jsonc: 'json',
  py: 'python',
};

export interface Block {
  readonly language: string;
  /** The word after the language; '' without one. */
  readonly word: string;
  /** That of its tab; '' without one. */
  readonly title: string;
  readonly content: string;
  /** The number of its first line in the page. */
  readonly line: number;
}

/**
 * Reads the blocks of a page. Blocks in lists may be indented.
 * @param name the page's, for the error
 * @throws if the tests do not know what to do with a block in a shell's language, TypeScript or JSON
 */
export function blocksOf(page: string, name = 'the page'): readonly Block[] {
  return [...page.matchAll(/^( *)```(\S+)?(?: +([^[\n]+?))?(?: +\[(.+?)\])? *\n(.*?)^\1```/gms)].map((match) => {
    const [, indent = '', first = 'text', word = '', title = '', indented = ''] = match;
    const line = page.slice(0, match.index).split('\n').length + 1;
    const mistake = mistakeOf(first, word);
    if (mistake !== undefined) throw new Error(`${name}, line ${line - 1}: ${mistake}`);
    return { language: first, word, title, content: indented.replaceAll(new RegExp(`^${indent}`, 'gm'), ''), line };
  });
}

/** Says what is wrong with the first line of a block, and what to write instead. */
function mistakeOf(language: string, word: string): string | undefined {
  const name = NAMES[language];
  if (name !== undefined) return `write \`\`\`${name} in place of \`\`\`${language}`;
  const words = WORDS[language];
  if (words === undefined || words.includes(word)) return undefined;
  return `after \`\`\`${language} write ${words.filter((one) => one !== '').join(', ')} or nothing, not ${word}`;
}

/** Languages whose blocks are programs. */
const PROGRAMS = ['ts', 'python', 'go'];

/** Returns true if a test has to run a service for the page. */
export const isRun = (block: Block): boolean =>
  (block.language === 'sh' && block.word !== 'excerpt') || (PROGRAMS.includes(block.language) && block.word === '');
