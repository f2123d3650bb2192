import {loadYoga, type Yoga} from 'yoga-layout/load';

export * from 'yoga-layout/load';

let yoga: Yoga;
// oxlint-disable-next-line import/no-default-export -- Ink imports it so
export {yoga as default};

/**
 * Loads Ink's layout engine. Must run before Ink loads. In the built program this file replaces `yoga-layout`, which uses a
 * top-level await, and CommonJS has none.
 */
export async function loadLayout(): Promise<void> {
  yoga = await loadYoga();
}
