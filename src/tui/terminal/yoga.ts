import {loadYoga, type Yoga} from 'yoga-layout/load';

export * from 'yoga-layout/load';

let yoga: Yoga;
// oxlint-disable-next-line import/no-default-export -- Ink imports it so
export {yoga as default};

/**
 * Loads Ink's layout engine, before Ink. In the built program this file stands for `yoga-layout`, which would load it by a top-level
 * await: CommonJS has none.
 */
export async function loadLayout(): Promise<void> {
  yoga = await loadYoga();
}
