import {linkOf, processTable, readTextFile} from './process-table.ts';

/**
 * What the programs in the foreground of a terminal do. `reads`: one of them is blocked in a read of the terminal and can only go on
 * when somebody types. `polls`: they sleep until an event, which may be a key. `works`: anything else. `unknown`: the system does not tell.
 */
export type TerminalUse = 'reads' | 'polls' | 'works' | 'unknown';

/** Looks at the foreground process group of the terminal of `leader`. Only Linux can tell. */
export async function terminalUse(leader: number): Promise<TerminalUse> {
  if (process.platform !== 'linux') return 'unknown';
  const table = await processTable();
  const foreground = table.find(({pid}) => pid === leader)?.foreground ?? -1;
  if (foreground <= 0) return 'unknown';
  const members = table.filter(({group}) => group === foreground);
  if (members.length === 0 || members.some(({state}) => state === 'running')) return 'works';
  if (members.some(({pid}) => isReadingTerminal(pid))) return 'reads';
  const waits = members.map(({pid}) => readTextFile(`/proc/${pid}/wchan`) ?? '');
  if (waits.some(wait => /poll|select/u.test(wait))) return 'polls';
  return waits.every(wait => wait === '' || wait === '0') ? 'unknown' : 'works';
}

/** Whether the process is blocked in a read of a terminal; the number of the read call, which depends on the machine, is not looked at. */
export function isReadingTerminal(pid: number): boolean {
  const [call, descriptor] = (readTextFile(`/proc/${pid}/syscall`) ?? '').split(' ');
  if (
    call === undefined ||
    descriptor === undefined ||
    !/wait_woken|n_tty_read|tty/u.test(readTextFile(`/proc/${pid}/wchan`) ?? '')
  )
    return false;
  return /^\/dev\/(?:pts\/|tty)/u.test(linkOf(`/proc/${pid}/fd/${Number.parseInt(descriptor, 16)}`));
}

/**
 * How the terminal of that name hands on what is typed: whole `lines`, which it shows by itself, or single `keys` and unseen text, which
 * only a program that waits for a person asks for.
 */
export async function inputMode(terminal: string): Promise<'lines' | 'keys' | 'unknown'> {
  if (terminal === '') return 'unknown';
  const {execa} = await import('execa');
  const {stdout, failed} = await execa('stty', [process.platform === 'linux' ? '-F' : '-f', terminal, '-a'], {
    stdin: 'ignore',
    reject: false,
  });
  if (failed) return 'unknown';
  return /(?:^|\s)-(?:icanon|echo)(?:[\s;]|$)/mu.test(stdout) ? 'keys' : 'lines';
}

/** A program that moves the cursor so many times, or switches to the alternate screen, is a full-screen program. */
export const screenful = 8;

/** How often the output places the cursor; the alternate screen counts as a screen full of it. */
export function screenPlacements(bytes: Buffer): number {
  if (!bytes.includes(escape)) return 0;
  const text = bytes.toString('latin1');
  return (text.match(placement)?.length ?? 0) + (secondScreen.test(text) ? screenful : 0);
}

const escape = 0x1b;
/* oxlint-disable no-control-regex -- escape sequences are what is looked for */
const placement = /\u001b\[\d+;\d+H/gu;
const secondScreen = /\u001b\[\?(?:1049|1047|47)h/u;
/* oxlint-enable no-control-regex */

/** Whether text at the cursor looks like a question: it ends as prompts do, with the cursor right behind it. */
export const looksLikePrompt = (beforeCursor: string): boolean =>
  /(?:[:?›❯»]\s{0,2}|[>$#%)\]}]\s{1,2}|\(y\/n\)|password.*|--more--.*|\(end\))$/iu.test(beforeCursor) &&
  beforeCursor.trim() !== '';

/** Programs that show one page at a time and wait for a key. */
const pagers = new Set([
  'less',
  'more',
  'most',
  'pg',
  'lv',
  'moar',
  'moor',
  'ov',
  'bat',
  'batcat',
  'delta',
  'w3m',
  'nvimpager',
]);

/** The name of the pager that has the terminal of `leader`, or `undefined`. */
export async function pagerInFront(leader: number): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  const table = await processTable();
  const foreground = table.find(({pid}) => pid === leader)?.foreground ?? -1;
  const names = table
    .filter(({group}) => group === foreground)
    .map(({pid}) => (readTextFile(`/proc/${pid}/comm`) ?? '').trim());
  return names.find(name => pagers.has(name));
}
