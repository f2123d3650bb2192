import {type Effort, efforts} from '../domain/model-stream.ts';
import {effortParams} from './anthropic-request.ts';
import {effortOf} from './openai-request.ts';

/** The efforts that a model is known to take as they are, from least to most; none where it takes none. */
export const effortLevels = (model: string): readonly Effort[] =>
  efforts.filter(
    effort =>
      effortParams(model, effort).output_config?.effort === effort ||
      effortOf({model, thinking: {kind: 'default'}}, effort) === effort,
  );
