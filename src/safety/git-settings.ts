/** One setting of a git configuration file, its section and name in small letters. */
export interface GitSetting {
  readonly section: string;
  readonly subsection: string;
  readonly name: string;
  readonly value: string;
}

/** Reads a configuration file as git does, and takes in more rather than less where git would call it broken. */
export function parseGitSettings(text: string): readonly GitSetting[] {
  const settings: GitSetting[] = [];
  let section = '';
  let subsection = '';
  // A backslash before a line's end goes on with the next line.
  for (const written of text.replaceAll('\r\n', '\n').replaceAll(/\\\n/gu, '').split('\n')) {
    let line = written.replace(/^\uFEFF/u, '').trim();
    for (;;) {
      const header = /^\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]\s*/u.exec(line);
      if (header === null) break;
      const [whole, name = '', quoted] = header;
      const [first = '', ...rest] = name.split('.');
      section = first.toLowerCase();
      subsection = quoted?.replaceAll(/\\(.)/gu, '$1') ?? rest.join('.').toLowerCase();
      line = line.slice(whole.length);
    }
    const [, name, , value] = /^([A-Za-z][\w-]*)\s*(=\s*([\s\S]*))?$/u.exec(line) ?? [];
    if (name !== undefined)
      settings.push({
        section,
        subsection,
        name: name.toLowerCase(),
        value: value === undefined ? 'true' : plain(value),
      });
  }
  return settings;
}

/** Without quotes, escapes and a comment at its end. */
function plain(written: string): string {
  let value = '';
  let quoted = false;
  for (let at = 0; at < written.length; at += 1) {
    const char = written.charAt(at);
    if (char === '\\') {
      at += 1;
      const escaped = written.charAt(at);
      value += {n: '\n', t: '\t', b: '\b'}[escaped] ?? escaped;
    } else if (char === '"') quoted = !quoted;
    else if (!quoted && (char === '#' || char === ';')) break;
    else value += char;
  }
  return value.trim();
}

/**
 * What a setting of a repository's own can do to commands that only read. `runs` a program of its choice, which nothing but the
 * setting itself switches off; `runs on transfer`, when objects are fetched; `monitors`, which weft switches off; `reads` a file
 * whose content may show; `includes` another file; `fetches`: objects that are missing are fetched.
 */
export type GitEffect = 'none' | 'runs' | 'runs on transfer' | 'monitors' | 'reads' | 'includes' | 'fetches';

export function effectOfSetting({section, subsection, name, value}: GitSetting): GitEffect {
  switch (section) {
    case 'include':
    case 'includeif':
      return name === 'path' ? 'includes' : 'none';
    case 'core':
      if (name === 'fsmonitor') return isBoolean(value) ? 'none' : 'monitors';
      if (name === 'alternaterefscommand') return 'runs';
      if (/^(?:sshcommand|askpass|gitproxy)$/u.test(name)) return 'runs on transfer';
      return /^(?:worktree|excludesfile|attributesfile)$/u.test(name) ? 'reads' : 'none';
    case 'filter':
      return /^(?:clean|smudge|process)$/u.test(name) && !isKnownFilter(value) ? 'runs' : 'none';
    case 'diff':
      if (name === 'orderfile' && subsection === '') return 'reads';
      return (name === 'external' || /^(?:command|textconv)$/u.test(name)) && !isKnownFilter(value) ? 'runs' : 'none';
    case 'gpg':
      if (name === 'program')
        return /^(?:(?:\/usr\/(?:local\/)?bin\/)?(?:gpg2?|gpgsm|ssh-keygen))?$/u.test(value) ? 'none' : 'runs';
      if (name === 'defaultkeycommand') return 'runs';
      return /^(?:allowedsignersfile|revocationfile)$/u.test(name) ? 'reads' : 'none';
    case 'hook':
      return name === 'command' ? 'runs' : 'none';
    case 'lfs':
      return /^(?:extension|customtransfer)\./u.test(`${subsection}.`) || name === 'standalonetransferagent'
        ? 'runs'
        : 'none';
    case 'alias':
      // Newer versions of git let an alias stand for a command that they are about to drop.
      return /^(?:whatchanged|annotate|pack-redundant)$/u.test(subsection === '' ? name : subsection) ? 'runs' : 'none';
    case 'mailmap':
      return name === 'file' ? 'reads' : 'none';
    case 'blame':
      return name === 'ignorerevsfile' ? 'reads' : 'none';
    case 'extensions':
      return name === 'partialclone' ? 'fetches' : 'none';
    case 'remote':
      if (name === 'promisor' || name === 'partialclonefilter') return 'fetches';
      if (name === 'url') return value.includes('::') ? 'runs on transfer' : 'none';
      return /^(?:uploadpack|receivepack|vcs|proxy)$/u.test(name) ? 'runs on transfer' : 'none';
    case 'credential':
    case 'protocol':
    case 'url':
    case 'http':
    case 'ssh':
      return 'runs on transfer';
    default:
      return 'none';
  }
}

const isBoolean = (value: string): boolean => /^(?:true|false|yes|no|on|off|1|0|)$/iu.test(value);

/** As `git lfs install --local` and `git-crypt init` write them. */
const isKnownFilter = (value: string): boolean =>
  value === '' ||
  value === 'cat' ||
  /^git-lfs (?:clean -- %f|smudge (?:--skip )?-- %f|filter-process(?: --skip)?)$/u.test(value) ||
  /^"?git-crypt"? (?:clean|smudge|diff)$/u.test(value);
