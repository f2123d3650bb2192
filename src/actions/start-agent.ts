import * as z from 'zod/mini';
import {defineAction, text, toolForm} from './define-action.ts';

export interface AgentStartInput {
  readonly name: string;
  readonly prompt: string;
  /** `local` runs here with the named harness (`weft` is our own); `remote` runs elsewhere. */
  readonly execution:
    | {readonly mode: 'local'; readonly harness: string}
    | {readonly mode: 'remote'; readonly environmentId: string};
}

export interface AgentStartOutput {
  readonly agentId: string;
}

export interface AgentStartCut {
  readonly name: string;
}

export const startAgent = defineAction<AgentStartInput, AgentStartOutput, AgentStartCut>({
  summary: 'Start a sub-agent.',
  risk: 'unknown',
  scheduling: 'barrier',
  tools: [
    toolForm({
      name: 'Agent',
      description: 'Start a sub-agent on a task of its own.',
      schema: () =>
        z.object({
          description: z.string(),
          prompt: z.string(),
          harness: z.optional(z.string()),
          environment_id: z.optional(z.string()),
        }),
      toInput: raw => ({
        name: raw.description,
        prompt: raw.prompt,
        execution:
          raw.environment_id === undefined
            ? {mode: 'local', harness: raw.harness ?? 'weft'}
            : {mode: 'remote', environmentId: raw.environment_id},
      }),
    }),
  ],
  label: input => `Start agent ${input.name}`,
  cancelled: input => ({name: input.name}),
  tell: output => text(output.agentId),
  tellCut: () => '',
  build: {state: 'declared'},
});
