import {type BlockId, blockId} from '../../src/domain/ids.ts';

/** `b1`, `b2`, and so on. */
export function blockIds(): () => BlockId {
  let ids = 0;
  return () => blockId(`b${++ids}`);
}
