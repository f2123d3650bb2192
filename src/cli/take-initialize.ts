import {isJsonObject} from '../base/json.ts';
import type {InitializeRequest} from '../protocol/rpc/control-request.ts';
import type {MainOptions} from './program.ts';
import {appended, noProcessServers, refuseSandbox} from './take-program-options.ts';
import {UsageError} from './usage-error.ts';

/** The options with what a program says in its greeting, which goes over what it said on the command line. */
export function greetedOptions(options: MainOptions, initialize: InitializeRequest | undefined): MainOptions {
  if (initialize === undefined) return options;
  refuse(initialize);
  const {systemPrompt, appendSystemPrompt, planModeInstructions, disallowedTools, settings, title} = initialize;
  const given = isJsonObject(settings) ? JSON.stringify(settings) : typeof settings === 'string' ? settings : undefined;
  refuseSandbox(given);
  return {
    ...options,
    ...(systemPrompt === undefined
      ? {}
      : {systemPrompt: typeof systemPrompt === 'string' ? systemPrompt : systemPrompt.join('\n\n')}),
    ...appended(appendSystemPrompt ?? options.appendSystemPrompt, planModeInstructions ?? undefined),
    ...(title === undefined || title === null ? {} : {name: title}),
    ...(disallowedTools === undefined || disallowedTools === null
      ? {}
      : {disallowedTools: [...(options.disallowedTools ?? []), ...disallowedTools]}),
    ...(given === undefined ? {} : {settings: given}),
  };
}

/** What of a greeting weft does without, where that only takes an extra away: one sentence each. */
export function greetingNotes({agents, skills}: InitializeRequest): readonly string[] {
  return [
    ...(has(agents) ? [`there are no subagents yet: ${Object.keys(agents ?? {}).join(', ')} cannot be called`] : []),
    ...(skills === undefined || skills === null || skills.length === 0
      ? []
      : ['there are no skills yet: the model is told of none']),
  ];
}

/** A host that names servers, plugins or other tools in the place of weft's own relies on them. */
function refuse({mcpServers, plugins, toolAliases}: InitializeRequest): void {
  if (has(mcpServers)) throw new UsageError(noProcessServers(Object.keys(mcpServers ?? {})));
  if (has(plugins)) throw new UsageError('weft has no plugins yet.');
  if (has(toolAliases)) {
    const names = Object.keys(toolAliases ?? {}).join(', ');
    throw new UsageError(`weft cannot take another tool in the place of ${names}: leave toolAliases out.`);
  }
}

const has = (value: object | null | undefined): boolean =>
  value !== undefined && value !== null && Object.keys(value).length > 0;
