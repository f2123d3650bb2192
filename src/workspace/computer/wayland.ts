import type {Modifier, Point} from '../../actions/computer-port.ts';
import {unreachable} from '../../base/unreachable.ts';
import {call, type Desktop, pngSize, type ProgramCall} from './desktop.ts';
import {keySymbol} from './x11.ts';

/** Codes of ydotool 1: press and release a button. */
const buttons = {left: '0xC0', right: '0xC1', middle: '0xC2'} as const;
const modifierNames = {ctrl: 'ctrl', shift: 'shift', alt: 'alt', super: 'logo'} as const satisfies Record<
  Modifier,
  string
>;

/** Wayland: grim for screenshots, ydotool (1.0 or later, with its daemon) for the mouse, wtype for the keyboard. */
export const waylandDesktop: Desktop = {
  size: {programCall: call('grim', '-t', 'png', '-'), read: pngSize},
  release: [call('ydotool', 'click', '0x80')],
  screenshot: ({screen, size}) => ({
    calls: [call('grim', '-t', 'png', '-s', (size.width / screen.width).toFixed(6), '-')],
    picture: 'printed',
  }),
  calls(step) {
    switch (step.kind) {
      case 'move':
        return [moveTo(step.at)];
      case 'click':
        return [
          moveTo(step.at),
          call('ydotool', 'click', '--repeat', step.times, '--next-delay', 80, buttons[step.button]),
        ];
      case 'drag':
        return [moveTo(step.from), call('ydotool', 'click', '0x40'), moveTo(step.to), call('ydotool', 'click', '0x80')];
      case 'scroll': {
        const {direction, notches} = step;
        const turn = direction === 'up' || direction === 'right' ? notches : -notches;
        const isUpright = direction === 'up' || direction === 'down';
        return [
          moveTo(step.at),
          call('ydotool', 'mousemove', '--wheel', '-x', isUpright ? 0 : turn, '-y', isUpright ? turn : 0),
        ];
      }
      case 'type':
        return [{...call('wtype', '-'), stdin: step.text}];
      case 'keys': {
        const names = step.modifiers.map(modifier => modifierNames[modifier]);
        const held = names.flatMap(name => ['-M', name]);
        const freed = names.toReversed().flatMap(name => ['-m', name]);
        return [call('wtype', ...held, '-k', keySymbol(step.key), ...freed)];
      }
      default:
        return unreachable(step);
    }
  },
};

const moveTo = ({x, y}: Point): ProgramCall => call('ydotool', 'mousemove', '--absolute', '-x', x, '-y', y);
