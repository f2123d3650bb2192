import type {SessionId} from '../domain/ids.ts';
import type {Store} from '../store/open-store.ts';
import {UsageError} from './usage-error.ts';

/** The session with that id, or the only one whose id begins so. */
export function findSession(store: Store, idText: string): SessionId {
  const wanted = idText.toLowerCase();
  if (!/^[0-9a-f-]+$/u.test(wanted)) {
    throw new UsageError(`${JSON.stringify(idText)} is not a session id. List them: weft sessions list`);
  }
  const found = store.list({}).filter(({id}) => id.startsWith(wanted));
  const [only] = found;
  if (only === undefined)
    throw new Error(`There is no session ${JSON.stringify(idText)}. List them: weft sessions list`);
  if (found.length > 1) throw new Error(`${found.length} sessions begin with ${wanted}. Give more of the id.`);
  return only.id;
}
