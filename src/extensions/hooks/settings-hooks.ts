import type {ScriptStanding} from '../../config/project-files.ts';
import type {Hook, HookRun} from '../../actions/hooks-port.ts';
import {isJsonObject, parseJson} from '../../base/json.ts';
import {unreachable} from '../../base/unreachable.ts';
import {makeFailedRun} from './hook-answer.ts';
import {type HookSetting, hookText} from '../../config/hook-settings.ts';
import type {HookCommand, HookOutput, HookPost} from '../../domain/hook.ts';

export interface HookRunner {
  /** Runs a command with `stdin`. An abort ends everything that the command started. */
  command(work: HookCommand, stdin: string, signal: AbortSignal): Promise<HookOutput>;
  post(work: HookPost, body: string, signal: AbortSignal): Promise<HookOutput>;
}

export interface SourcedHook {
  readonly hook: HookSetting;
  /** The hook's source, as messages name it. */
  readonly source: string;
  /** Called before the hook runs, and again after it ended. */
  readonly standing: () => Promise<ScriptStanding>;
}

/** The standing of a hook that uses no project file. */
export const unrestrictedStanding: ScriptStanding = {refusalReason: '', mark: ''};

export const makeSettingsHooks = (hooks: readonly SourcedHook[], runner: HookRunner): readonly Hook[] =>
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
    changes: hook.work.type === 'command' && hook.work.args === 'shell' ? {command: hook.work.command} : 'any',
    async run(input, signal) {
      const before = await standing();
      if (before.refusalReason !== '') return makeFailedRun('not-started', before.refusalReason);
      const {work} = hook;
      const text = JSON.stringify(input);
      const run = toHookRun(
        await (work.type === 'command' ? runner.command(work, `${text}\n`, signal) : runner.post(work, text, signal)),
      );
      // A file that changed after the check may not be the one that was trusted.
      const after = await standing();
      if (after.mark === before.mark) return run;
      const why = 'a project file that it runs was changed while it ran, so its answer is ignored';
      return {...run, outcome: {kind: 'failed', how: 'crashed', why}};
    },
  }));

/**
 * Maps how a hook ended to a result: exit code 0 answers, 2 blocks, and everything else fails. Shells exit with 126
 * or 127 if they can't start a program.
 */
function toHookRun({end, stdout, stderr}: HookOutput): HookRun {
  const printed = {exitCode: 'unknown' as const, stdout, stderr};
  switch (end.kind) {
    case 'exited': {
      const exited = {...printed, exitCode: end.code};
      if (end.code === 0) return {outcome: parseOutput(stdout), ...exited};
      if (end.code === 2) return {outcome: {kind: 'blocked', reason: stderr === '' ? stdout : stderr}, ...exited};
      const first = stderr.trim().split('\n', 1)[0] ?? '';
      const why = `exit code ${end.code}${first === '' ? '' : `, ${first}`}`;
      return makeFailedRun(end.code === 126 || end.code === 127 ? 'not-started' : 'crashed', why, exited);
    }
    case 'responded':
      return end.status < 200 || end.status > 299
        ? makeFailedRun('crashed', `the server answered ${end.status}`, printed)
        : {outcome: parseOutput(stdout), ...printed};
    case 'not-started':
      return makeFailedRun('not-started', end.why, printed);
    case 'goes-on':
      return {outcome: {kind: 'json', value: {async: true}}, ...printed};
    case 'signalled':
      return makeFailedRun('crashed', `it was ended by ${end.signal}`, printed);
    case 'too-long':
      return makeFailedRun('unreadable', 'its answer is longer than 1 MB', printed);
    case 'aborted':
      return makeFailedRun('crashed', 'it was stopped', printed);
    default:
      return unreachable(end);
  }
}

/** Reads a hook's output. Output that begins with `{` must be JSON. */
function parseOutput(stdout: string): HookRun['outcome'] {
  const text = stdout.trim();
  if (!text.startsWith('{')) return {kind: 'text', text};
  const json = parseJson(text);
  if (json.tag === 'ok' && isJsonObject(json.value)) return {kind: 'json', value: json.value};
  // Output after `{"async": true}` is ignored.
  const first = parseJson(text.split('\n', 1)[0] ?? '');
  if (first.tag === 'ok' && isJsonObject(first.value) && first.value['async'] === true) {
    return {kind: 'json', value: first.value};
  }
  const why = `its output is not a JSON object${json.tag === 'failed' ? ` (${json.error})` : ''}`;
  return {kind: 'failed', how: 'unreadable', why};
}
