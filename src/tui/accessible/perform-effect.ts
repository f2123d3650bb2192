import {unreachable} from '../../base/unreachable.ts';
import type {CommandLine} from '../input/commands.ts';
import type {Effect} from '../input/effect.ts';
import type {TuiExit, TuiOptions} from '../options.ts';
import type {LineInput} from './line-input.ts';
import type {Talking} from './talking.ts';

interface Stage {
  readonly options: TuiOptions;
  readonly input: LineInput;
  readonly talking: Talking;
  readonly say: (lines: readonly string[]) => void;
  readonly run: (line: CommandLine) => void;
  readonly leave: (exit: TuiExit) => void;
}

/** Does what an answer has asked for. What is about a screen means nothing here. */
export function performEffect(effect: Effect, {options, input, talking, say, run, leave}: Stage): void {
  switch (effect.do) {
    case 'op':
      options.engine.submit(effect.op);
      return;
    case 'attach':
      talking.start(effect.block);
      return;
    case 'stop-block':
      void options.blocks.stop(effect.block);
      say([`Stopping ${effect.block}.`]);
      return;
    case 'keep-block':
      options.blocks.keep(effect.block);
      say([`${effect.block} stays when weft ends.`]);
      return;
    case 'write':
      input.write(effect.text);
      return;
    case 'command':
      run(effect.line);
      return;
    case 'tell':
      say([effect.text]);
      return;
    case 'leave':
      leave({kind: 'left'});
      return;
    case 'compose':
    case 'show-all':
    case 'edit-outside':
    case 'redraw':
    case 'suspend':
    case 'scroll':
    case 'unfold':
    case 'next-verbosity':
    case 'choose-theme':
      return;
    default:
      unreachable(effect);
  }
}
