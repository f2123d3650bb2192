import type {JsonObject} from '../base/json.ts';
import type {PermissionMode} from '../domain/risk.ts';
import type {ChosenModel} from './choose-model.ts';

/** What weft says of itself when a program greets it. What it has not, it does not list. */
export function rpcCapabilities(
  {port, model}: ChosenModel,
  run: {readonly version: string; readonly permissionMode: PermissionMode; readonly pid: number},
): JsonObject {
  const anthropic = port.provider === 'anthropic';
  return {
    commands: [],
    agents: [],
    output_style: 'default',
    available_output_styles: ['default'],
    models: [
      {
        value: 'default',
        resolvedModel: model,
        displayName: 'Default',
        description: `The model weft was started with: ${model}`,
      },
      {value: model, resolvedModel: model, displayName: model, description: `Served by ${port.provider}`},
    ],
    account: anthropic
      ? {apiKeySource: 'ANTHROPIC_API_KEY', tokenSource: 'none', apiProvider: 'firstParty'}
      : {apiKeySource: 'none', tokenSource: 'none'},
    claude_code_version: run.version,
    current_permission_mode: run.permissionMode,
    pid: run.pid,
  };
}
