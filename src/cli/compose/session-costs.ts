import type {SessionId} from '../../domain/ids.ts';
import {modelFacts} from '../../models/model-facts.ts';
import type {Store} from '../../store/open-store.ts';

/** What each kept session has cost in US dollars, where the price of a model is known. */
export function sessionCosts(store: Pick<Store, 'usage'>): ReadonlyMap<SessionId, number> {
  const costs = new Map<SessionId, number>();
  for (const {id, model, usage} of store.usage()) {
    const cost = modelFacts(model).costOf(usage);
    if (cost !== 'unknown') costs.set(id, (costs.get(id) ?? 0) + cost);
  }
  return costs;
}
