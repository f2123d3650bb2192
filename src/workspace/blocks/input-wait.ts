import {linkOf, processTable, textOf} from '../process-table.ts';

/**
 * What the programs in the foreground of a terminal do: `reads`, one is blocked reading it and can only go on when somebody
 * types; `polls`, they sleep until something happens, which may be a key; `works`, anything else; `unknown`, the system does not tell.
 */
export type TerminalUse = 'reads' | 'polls' | 'works' | 'unknown';

/** Looks at the group that the terminal of `leader` listens to. Only Linux can tell. */
export async function terminalUse(leader: number): Promise<TerminalUse> {
  if (process.platform !== 'linux') return 'unknown';
  const table = await processTable();
  const foreground = table.find(({pid}) => pid === leader)?.foreground ?? -1;
  if (foreground <= 0) return 'unknown';
  const members = table.filter(({group}) => group === foreground);
  if (members.length === 0 || members.some(({state}) => state === 'running')) return 'works';
  if (members.some(({pid}) => isReadingTerminal(pid))) return 'reads';
  const waits = members.map(({pid}) => textOf(`/proc/${pid}/wchan`) ?? '');
  if (waits.some(wait => /poll|select/u.test(wait))) return 'polls';
  return waits.every(wait => wait === '' || wait === '0') ? 'unknown' : 'works';
}

/** Whether the process is blocked in a read (of whatever number this machine gives that call) of a terminal. */
export function isReadingTerminal(pid: number): boolean {
  const [call, descriptor] = (textOf(`/proc/${pid}/syscall`) ?? '').split(' ');
  if (
    call === undefined ||
    descriptor === undefined ||
    !/wait_woken|n_tty_read|tty/u.test(textOf(`/proc/${pid}/wchan`) ?? '')
  )
    return false;
  return /^\/dev\/(?:pts\/|tty)/u.test(linkOf(`/proc/${pid}/fd/${Number.parseInt(descriptor, 16)}`));
}

/** Whether text at the cursor looks like a question: it ends as prompts do, with the cursor right behind it. */
export const looksLikePrompt = (beforeCursor: string): boolean =>
  /(?:[:?›❯»]\s{0,2}|[>$#%)\]}]\s{1,2}|\(y\/n\)|password.*|--more--.*|\(end\))$/iu.test(beforeCursor) &&
  beforeCursor.trim() !== '';

/** Programs that hold text back until somebody asks for more. */
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
    .map(({pid}) => (textOf(`/proc/${pid}/comm`) ?? '').trim());
  return names.find(name => pagers.has(name));
}
