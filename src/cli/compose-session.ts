import {homedir} from 'node:os';
import {join} from 'node:path';
import {noMcp} from '../actions/mcp-port.ts';
import {noHooks} from '../agent/hooks-port.ts';
import {systemPrompt} from '../agent/system-prompt.ts';
import {chooseModel, type ChosenModel, type ModelChoice} from './choose-model.ts';
import {chooseSession, sessionWish} from './choose-session.ts';
import {composeEngine, type ComposedEngine, type EngineParts} from './compose-engine.ts';
import type {Surroundings} from './load-surroundings.ts';
import {placeholderKey} from './placeholder-key.ts';
import {ownPlaces} from './user-places.ts';
import {thinkingOf} from './take-program-options.ts';
import {withheldTools} from './withheld-tools.ts';

/** What the program that drives weft brings along; a person at a terminal brings nothing. */
export type DrivenParts = Pick<EngineParts, 'mcp' | 'hooks'> & {
  readonly structured: EngineParts['structured'] | 'by-flag';
};

export const undriven: DrivenParts = {mcp: noMcp, hooks: noHooks, structured: 'by-flag'};

/** Opens the session that the command line asks for, on this machine, with this model. */
export async function composeSession(
  chosen: ChosenModel,
  {
    surroundings,
    asking,
    driven,
  }: {
    readonly surroundings: Surroundings;
    readonly asking: 'somebody' | 'nobody';
    readonly driven: DrivenParts;
  },
): Promise<ComposedEngine> {
  const {options, settings, directory, roots} = surroundings;
  const structured =
    driven.structured !== 'by-flag'
      ? driven.structured
      : options.jsonSchema === undefined
        ? ({kind: 'none'} as const)
        : await (await import('./structured-output.ts')).structuredOutput(options.jsonSchema);
  const store = options.sessionPersistence ? await surroundings.store() : ('none' as const);
  const {session, origin, sessions, skipped} = chooseSession(sessionWish(options), {
    store,
    directory,
    model: chosen.model,
  });
  if (skipped > 0) surroundings.note(`${skipped} records of this session cannot be read and are left out`);
  return composeEngine({
    session,
    origin,
    sessions,
    model: chosen.port,
    modelId: chosen.model,
    roots,
    home: homedir(),
    environment: process.env,
    ownVariables: settings.env,
    passedVariables: settings.passEnv,
    blocksFolder: blocksFolder(surroundings),
    checkpointsFolder: options.sessionPersistence ? join(surroundings.places.data, 'checkpoints') : undefined,
    keptTrees: async () => (await surroundings.store()).keptTrees(),
    own: ownPlaces(surroundings.places, process.env),
    placeholderKey: placeholderKey(
      join(surroundings.places.data, 'placeholder.key'),
      options.sessionPersistence ? 'keep' : 'leave-no-trace',
    ),
    memoryCeiling: settings.memoryCeiling,
    mode: settings.permissionMode,
    rules: settings.rules,
    keepRule: async rule => (await import('./keep-rule.ts')).keepRule(rule, directory),
    systemPrompt: systemPrompt({
      directory,
      platform: process.platform,
      date: new Date().toISOString().slice(0, 10),
      instructions: surroundings.startInstructions().found,
      replacement: options.systemPrompt,
      addition: options.appendSystemPrompt ?? '',
    }),
    instructions: surroundings.instructions,
    limits: {maxTurns: options.maxTurns ?? 'unlimited', maxCostUsd: options.maxCost ?? 'unlimited'},
    asking,
    mcp: driven.mcp,
    hooks: driven.hooks,
    thinking: thinkingOf(options),
    withheld: withheldTools(options.tools, settings.rules.deny),
    structured,
  });
}

export const blocksFolder = ({places}: Surroundings): string => join(places.data, 'blocks');

/** Connects to the model that flags, environment and settings name. */
export const configuredModel = (surroundings: Surroundings): Promise<ChosenModel> =>
  chooseModel(choiceOf(surroundings), AbortSignal.timeout(10_000));

export const choiceOf = ({options, settings}: Surroundings): ModelChoice => ({
  provider: settings.provider,
  model: settings.model,
  baseUrl: settings.baseUrl,
  effort: options.effort,
  replay: options.replay,
  record: options.record,
  environment: process.env,
});
