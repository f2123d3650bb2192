import type {BlockDesk} from '../actions/ports.ts';
import {isGoing} from '../actions/block-text.ts';
import type {PresentPort} from '../agent/ports.ts';
import {visibleLine} from '../base/visible.ts';

/** What is so on this machine now. */
export const makePresent = (instructions: PresentPort['instructions'], desk: Pick<BlockDesk, 'list'>): PresentPort => ({
  instructions,
  running: () =>
    desk
      .list()
      .filter(({state}) => isGoing(state))
      .map(({id, command, ports}) => {
        const listening = ports.length === 0 ? '' : ` (listens on ${ports.join(', ')})`;
        return `- block ${id}: ${visibleLine(command)}${listening}`;
      }),
  async fingerprints(paths, signal) {
    const {fingerprintFiles} = await import('../workspace/files/fingerprint-files.ts');
    return fingerprintFiles(paths, signal);
  },
});
