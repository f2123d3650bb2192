import {readLink, processTable, readTextFile} from './process-table.ts';

/**
 * The state of the programs in a terminal's foreground. `reads`: one is blocked in a read of the terminal and continues
 * only when someone types. `polls`: all sleep until an event, which may be a key press. `works`: anything else.
 * `unknown`: the system does not say.
 */
export type TerminalUse = 'reads' | 'polls' | 'works' | 'unknown';

/** Checks the foreground process group of the terminal of `leader`. Works on Linux only. */
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

/** Whether the process is blocked in a read of a terminal. Ignores the number of the read call, which depends on the machine. */
export function isReadingTerminal(pid: number): boolean {
  const [call, descriptor] = (readTextFile(`/proc/${pid}/syscall`) ?? '').split(' ');
  if (
    call === undefined ||
    descriptor === undefined ||
    !/wait_woken|n_tty_read|tty/u.test(readTextFile(`/proc/${pid}/wchan`) ?? '')
  )
    return false;
  return /^\/dev\/(?:pts\/|tty)/u.test(readLink(`/proc/${pid}/fd/${Number.parseInt(descriptor, 16)}`));
}

/**
 * Returns how the terminal passes on what is typed. `lines`: whole lines, echoed by the terminal. `keys`: single keys
 * or text without echo, which only a program that waits for a person asks for.
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

/** A program that moves the cursor this many times, or switches to the alternate screen, is a full-screen program. */
export const fullScreenThreshold = 8;

/** Counts how often the output positions the cursor. A switch to the alternate screen counts `fullScreenThreshold` times. */
export function countCursorMoves(bytes: Buffer): number {
  if (!bytes.includes(escape)) return 0;
  const moves = bytes.toString('latin1').match(cursorMoves) ?? [];
  const switches = moves.filter(move => move.endsWith('h')).length;
  return moves.length - switches + (switches > 0 ? fullScreenThreshold : 0);
}

const escape = 0x1b;
/* oxlint-disable no-control-regex -- escape sequences are what is looked for */
const cursorMoves = /\u001b\[(?:\d+;\d+H|\?(?:1049|1047|47)h)/gu;
/* oxlint-enable no-control-regex */

/** Whether the text ends like a prompt, directly before the cursor. */
export const looksLikePrompt = (beforeCursor: string): boolean =>
  /(?:[:?›❯»]\s{0,2}|[>$#%)\]}]\s{1,2}|\(y\/n\)|password.*|--more--.*|\(end\))$/iu.test(beforeCursor) &&
  beforeCursor.trim() !== '';

/** Programs that show one page at a time and wait for a key. */
const pagers = new Set('less more most pg lv moar moor ov bat batcat delta w3m nvimpager'.split(' '));

/** Returns the name of the pager in the foreground of the terminal of `leader`, or `undefined`. */
export async function foregroundPager(leader: number): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  const table = await processTable();
  const foreground = table.find(({pid}) => pid === leader)?.foreground ?? -1;
  const names = table
    .filter(({group}) => group === foreground)
    .map(({pid}) => (readTextFile(`/proc/${pid}/comm`) ?? '').trim());
  return names.find(name => pagers.has(name));
}
