import type {SessionId} from '../domain/ids.ts';
import type {OwnModels} from '../config/model-settings.ts';
import {costOfMany, modelTable} from '../models/model-facts.ts';
import type {Store} from '../store/open-store.ts';

/** Returns the cost of each saved session in US dollars, if the price of its model is known. */
export function sessionCosts(store: Pick<Store, 'usage'>, own: OwnModels): ReadonlyMap<SessionId, number> {
  const table = modelTable(own);
  const costs = new Map<SessionId, number>();
  for (const {id, model, usage} of store.usage()) {
    const cost = costOfMany(table.infoOf(model), usage);
    if (cost !== 'unknown') costs.set(id, (costs.get(id) ?? 0) + cost);
  }
  return costs;
}
