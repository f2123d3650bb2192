import type {OutputConfig} from '@anthropic-ai/sdk/resources/messages/messages';
import type {Effort} from '../domain/model-stream.ts';

/** The effort for the models known to take one, no higher than they know it; others refuse the parameter. */
export function effortParams(model: string, effort: Effort | 'default'): {readonly output_config?: OutputConfig} {
  if (effort === 'default') return {};
  const family = families.find(({match}) => match.test(model.replace(/^.*[/.](?=claude-)/u, '')));
  if (family === undefined) return {};
  return {output_config: {effort: effort === 'xhigh' && family.xhigh === 'unknown' ? 'high' : effort}};
}

/** The first that matches counts. */
const families = [
  {match: /^claude-(?:opus|sonnet)-4-6(?!\d)/u, xhigh: 'unknown'},
  {match: /^claude-opus-4-[7-9](?!\d)/u, xhigh: 'known'},
  {match: /^claude-(?:opus|sonnet|fable|mythos)-[5-9](?!\d)/u, xhigh: 'known'},
] as const;
