import type {SessionId} from '../domain/ids.ts';
import type {OwnModels} from '../config/model-settings.ts';
import {costOfMany, type ModelInfo, modelTable} from '../models/model-facts.ts';
import type {Store} from '../store/open-store.ts';

/**
 * Returns the cost of each selected session that has asked a model, in US dollars. Models without a known price add nothing.
 * `unknown` if no model has a known price.
 */
export function sessionCosts(
  store: Pick<Store, 'usage'>,
  own: OwnModels,
  filter: Parameters<Store['usage']>[0],
): ReadonlyMap<SessionId, number | 'unknown'> {
  const table = modelTable(own);
  const infos = new Map<string, ModelInfo>();
  const costs = new Map<SessionId, number | 'unknown'>();
  for (const {id, model, usage} of store.usage(filter)) {
    const before = costs.get(id) ?? 'unknown';
    const info = infos.get(model) ?? table.infoOf(model);
    infos.set(model, info);
    const cost = costOfMany(info, usage);
    costs.set(id, before === 'unknown' ? cost : before + (cost === 'unknown' ? 0 : cost));
  }
  return costs;
}
