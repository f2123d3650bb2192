import type {ReasoningEffort} from 'openai/resources/shared';
import {unreachable} from '../base/unreachable.ts';
import type {Effort, ModelRequest} from '../domain/model-stream.ts';

/**
 * The effort that comes nearest to what is wanted, for the models known to take one; `undefined` leaves it to the server, as
 * others refuse the parameter.
 */
export function effortOf(
  {model, thinking}: Pick<ModelRequest, 'model' | 'thinking'>,
  wanted: Effort | 'default',
): Exclude<ReasoningEffort, null> | undefined {
  const family = families.find(({match}) => match.test(model));
  if (family === undefined) return undefined;
  // What lies above is not known of all of them.
  if (wanted !== 'default' && thinking.kind !== 'disabled')
    return wanted === 'low' || wanted === 'medium' ? wanted : 'high';
  switch (thinking.kind) {
    case 'default':
    case 'adaptive':
      return undefined;
    case 'disabled':
      return family.least;
    case 'budget':
      if (thinking.tokens <= 0) return family.least;
      if (thinking.tokens < 4096) return 'low';
      return thinking.tokens < 16_384 ? 'medium' : 'high';
    default:
      return unreachable(thinking);
  }
}

/** The first that matches counts. */
const families = [
  {match: /^gpt-5(?:-mini|-nano)?(?:-20\d\d-\d\d-\d\d)?$/u, least: 'minimal'},
  {match: /^gpt-5\.\d+(?:-mini|-nano)?(?:-20\d\d-\d\d-\d\d)?$/u, least: 'none'},
  {match: /^o[1-9](?:-mini)?(?:-20\d\d-\d\d-\d\d)?$/u, least: 'low'},
] as const;
