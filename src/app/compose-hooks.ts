import {type Hook, type HookRow, type HooksPort, noopHooks} from '../actions/hooks-port.ts';
import type {Sourced} from '../config/merge-settings.ts';
import {type HookSetting, hookText} from '../config/hook-settings.ts';
import type {ProjectTrust} from '../config/trust-record.ts';
import type {ScriptStanding} from '../config/project-files.ts';
import type {HookRunner} from '../extensions/hooks/settings-hooks.ts';
import type {Plugin} from '../config/plugin-folders.ts';
import type {EngineSetup} from './compose-engine.ts';
import type {PluginHook} from './plugin-content.ts';

interface HookSources {
  readonly settings: readonly Sourced<HookSetting>[];
  /** Hooks of the project that weft does not run, because the project is not trusted. */
  readonly withheld: readonly Sourced<HookSetting>[];
  readonly driver: readonly Hook[];
  readonly promptSource: 'user' | 'sdk';
  readonly directory: string;
  /** The folder of transcripts; `undefined` if the session is not saved. */
  readonly transcripts: string | undefined;
  readonly projectTrust: ProjectTrust;
  readonly plugins: readonly PluginHook[];
}

/** Makes the hooks of a session: from the program that drives weft, settings and plugins. Loads nothing if there are none. */
export async function sessionHooks(sources: HookSources): Promise<EngineSetup['hooks']> {
  const {settings, driver, promptSource, plugins, directory, transcripts} = sources;
  if (settings.length === 0 && driver.length === 0 && plugins.length === 0) {
    return () => withWithheld(noopHooks, sources);
  }
  const [{makeHooks}, {makeTranscriptWriter}, {unrestrictedStanding, makeSettingsHooks}] = await Promise.all([
    import('../extensions/hooks/make-hooks.ts'),
    import('../extensions/hooks/transcript.ts'),
    import('../extensions/hooks/settings-hooks.ts'),
  ]);
  return machine => {
    const runner: HookRunner = {
      command: (work, stdin, signal) => machine.command(work, stdin, signal),
      async post(work, body, signal) {
        const {postHook} = await import('../workspace/exec/post-hook.ts');
        return postHook(work, {body, environment: process.env}, signal);
      },
    };
    const sourced = settings.map(hook => ({
      hook: hook.value,
      source: placeOf(hook),
      standing: async () =>
        hook.source === 'project' || hook.source === 'local' ? standingOf(hook.value, sources) : unrestrictedStanding,
    }));
    const ofPlugins = plugins.map(one => ({
      hook: one.hook,
      source: one.path,
      standing: async () => (await import('./plugin-content.ts')).pluginStanding(one, directory),
    }));
    const hooks = [...driver, ...makeSettingsHooks([...sourced, ...ofPlugins], runner)];
    const {redact, reach} = machine;
    const transcript = transcripts === undefined ? async () => '' : makeTranscriptWriter(transcripts, redact);
    return withWithheld(makeHooks({hooks, promptSource, redact, reach, transcript}), sources);
  };
}

/** Reads the hooks of plugins. Loads nothing without plugins. */
export const hooksOfPlugins = async (plugins: readonly Plugin[]): Promise<readonly PluginHook[]> =>
  plugins.length === 0 ? [] : (await import('./plugin-content.ts')).pluginHooks(plugins);

const placeOf = ({source, path}: Sourced<HookSetting>): string => (path === '' ? source : path);

/** Returns the same hooks, with the withheld ones added to their list. */
function withWithheld(hooks: HooksPort, {withheld}: HookSources): HooksPort {
  if (withheld.length === 0) return hooks;
  const rows = withheld.map((hook): HookRow => {
    const {event, matcher} = hook.value;
    const row = {event, matcher, text: hookText(hook.value), source: placeOf(hook)};
    return {...row, standing: 'not-trusted', runs: 0, last: ''};
  });
  const own = hooks.list.bind(hooks);
  return Object.assign(hooks === noopHooks ? {...noopHooks} : hooks, {list: () => [...own(), ...rows]});
}

/** Checks whether the user trusts the project's scripts that a hook names. */
async function standingOf(hook: HookSetting, {directory, projectTrust}: HookSources): Promise<ScriptStanding> {
  if (hook.work.type !== 'command') return {refusalReason: '', mark: ''};
  const {scriptsIn, scriptStanding} = await import('../config/project-files.ts');
  const {folder} = projectTrust;
  return scriptStanding(scriptsIn(hookText(hook), {directory, folder}), projectTrust);
}
