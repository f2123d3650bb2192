import type {OwnModels} from '../../src/config/model-settings.ts';
import {type ModelInfo, modelTable} from '../../src/models/model-facts.ts';

/** What weft knows of models by itself. */
export const knownTable = modelTable({});

/** What is known of a model of which the user says `own`. */
export const infoOf = (model: string, own: OwnModels[string] = {}): ModelInfo =>
  modelTable({[model]: own}).infoOf(model);
