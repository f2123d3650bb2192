import type {ScriptStanding} from '../../config/project-files.ts';
import type {Hook, HookRun} from '../../actions/hooks-port.ts';
import {isJsonObject, parseJson} from '../../base/json.ts';
import {unreachable} from '../../base/unreachable.ts';
import {failedRun} from './hook-answer.ts';
import {type HookSetting, hookText} from '../../config/hook-settings.ts';
import type {HookCommand, HookOutput, HookPost} from '../../domain/hook.ts';

/** The machine, as hooks need it. */
export interface HookRunner {
  /** Runs a command with `stdin`; after an abort it ends everything that the command started. */
  command(work: HookCommand, stdin: string, signal: AbortSignal): Promise<HookOutput>;
  post(work: HookPost, body: string, signal: AbortSignal): Promise<HookOutput>;
}

export interface SourcedHook {
  readonly hook: HookSetting;
  /** Where it comes from, as messages name it. */
  readonly source: string;
  /** Asked before it runs, and again when it has ended. */
  readonly standing: () => Promise<ScriptStanding>;
}

/** The standing of a hook that no file of a project has a part in. */
export const ownHook: ScriptStanding = {obstacle: '', mark: ''};

export const settingsHooks = (hooks: readonly SourcedHook[], runner: HookRunner): readonly Hook[] =>
  hooks.map(({hook, source, standing}) => ({
    event: hook.event,
    matcher: hook.matcher,
    text: hookText(hook),
    source,
    key: JSON.stringify([hook.work, hook.onFailure, hook.wait, hook.condition]),
    timeoutMs: hook.timeoutMs,
    wait: hook.wait,
    onFailure: hook.onFailure,
    condition: hook.condition,
    async run(input, signal) {
      const before = await standing();
      if (before.obstacle !== '') return failedRun('not-started', before.obstacle);
      const {work} = hook;
      const text = JSON.stringify(input);
      const run = hookRun(
        await (work.type === 'command' ? runner.command(work, `${text}\n`, signal) : runner.post(work, text, signal)),
      );
      // A file that was written to after it was looked at may not be what ran.
      const after = await standing();
      if (after.mark === before.mark) return run;
      const why = 'a file of the project that it runs was changed at the same moment: what it said does not count';
      return {...run, outcome: {kind: 'failed', how: 'crashed', why}};
    },
  }));

/** What an end comes to: 0 answers, 2 blocks, everything else is a failure. Shells say 126 and 127 for what they cannot start. */
function hookRun({end, stdout, stderr}: HookOutput): HookRun {
  const printed = {exitCode: 'unknown' as const, stdout, stderr};
  switch (end.kind) {
    case 'exited': {
      const exited = {...printed, exitCode: end.code};
      if (end.code === 0) return {outcome: answerIn(stdout), ...exited};
      if (end.code === 2) return {outcome: {kind: 'blocked', reason: stderr === '' ? stdout : stderr}, ...exited};
      const first = stderr.trim().split('\n', 1)[0] ?? '';
      const why = `exit code ${end.code}${first === '' ? '' : `, ${first}`}`;
      return failedRun(end.code === 126 || end.code === 127 ? 'not-started' : 'crashed', why, exited);
    }
    case 'responded':
      return end.status < 200 || end.status > 299
        ? failedRun('crashed', `the server answered ${end.status}`, printed)
        : {outcome: answerIn(stdout), ...printed};
    case 'not-started':
      return failedRun('not-started', end.why, printed);
    case 'goes-on':
      return {outcome: {kind: 'json', value: {async: true}}, ...printed};
    case 'signalled':
      return failedRun('crashed', `it ended by ${end.signal}`, printed);
    case 'too-long':
      return failedRun('unreadable', 'its answer is longer than 1 MB', printed);
    case 'aborted':
      return failedRun('crashed', 'it was stopped', printed);
    default:
      return unreachable(end);
  }
}

/** What begins like JSON has to be JSON. */
function answerIn(stdout: string): HookRun['outcome'] {
  const text = stdout.trim();
  if (!text.startsWith('{')) return {kind: 'text', text};
  const json = parseJson(text);
  if (json.tag === 'ok' && isJsonObject(json.value)) return {kind: 'json', value: json.value};
  // What comes behind the word that nobody is to wait for it is for nobody.
  const first = parseJson(text.split('\n', 1)[0] ?? '');
  if (first.tag === 'ok' && isJsonObject(first.value) && first.value['async'] === true) {
    return {kind: 'json', value: first.value};
  }
  const why = `what it printed is no JSON object${json.tag === 'failed' ? ` (${json.error})` : ''}`;
  return {kind: 'failed', how: 'unreadable', why};
}
