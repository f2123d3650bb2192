import type {Modifier, NamedKey, Point} from '../../actions/computer-port.ts';
import {unreachable} from '../../base/unreachable.ts';
import {call, type Desktop, printedSize, type ProgramCall} from './desktop.ts';

/** Numbers of CGEventType and CGMouseButton. */
const buttons = {
  left: {down: 1, up: 2, number: 0},
  right: {down: 3, up: 4, number: 1},
  middle: {down: 25, up: 26, number: 2},
} as const;
const movedType = 5;
const draggedType = 6;

const modifierNames = {ctrl: 'control', shift: 'shift', alt: 'option', super: 'command'} as const satisfies Record<
  Modifier,
  string
>;

/**
 * macOS: screencapture and sips for screenshots of the main screen, osascript for the rest. The terminal that runs weft
 * needs the permissions "Screen Recording" and "Accessibility".
 */
export const macosDesktop: Desktop = {
  size: {
    programCall: script(
      'const {width, height} = $.CGDisplayBounds($.CGMainDisplayID()).size; `${Math.round(width)} ${Math.round(height)}`',
    ),
    read: printedSize,
  },
  release: [script(mouse(buttons.left.up, {x: 0, y: 0}))],
  screenshot: ({size, file}) => ({
    calls: [
      call('screencapture', '-x', '-m', '-t', 'png', file),
      call('sips', '--resampleHeightWidth', size.height, size.width, file),
    ],
    picture: {file},
  }),
  calls(step) {
    switch (step.kind) {
      case 'move':
        return [script(mouse(movedType, step.at))];
      case 'click': {
        const {down, up, number} = buttons[step.button];
        const clicks = Array.from({length: step.times}, (_, at) =>
          [down, up].map(type => mouse(type, step.at, {button: number, count: at + 1})).join(' '),
        );
        return [script(`${mouse(movedType, step.at)} ${clicks.join(' delay(0.08); ')}`)];
      }
      case 'drag': {
        const {from, to} = step;
        const parts = [mouse(buttons.left.down, from), mouse(draggedType, to), mouse(buttons.left.up, to)];
        return [script([mouse(movedType, from), ...parts].join(' delay(0.1); '))];
      }
      case 'scroll': {
        const {direction, notches, at} = step;
        const turn = direction === 'up' || direction === 'left' ? notches : -notches;
        const turns = direction === 'up' || direction === 'down' ? `${turn}, 0` : `0, ${turn}`;
        return [
          script(`${mouse(movedType, at)} $.CGEventPost(0, $.CGEventCreateScrollWheelEvent2($(), 1, 2, ${turns}, 0));`),
        ];
      }
      case 'type':
        return [script(`Application('System Events').keystroke(${JSON.stringify(step.text)});`)];
      case 'keys': {
        const held = JSON.stringify({using: step.modifiers.map(modifier => `${modifierNames[modifier]} down`)});
        const {key} = step;
        const pressed =
          'named' in key
            ? `keyCode(${keyCodes[key.named]}, ${held})`
            : `keystroke(${JSON.stringify(key.character)}, ${held})`;
        return [script(`Application('System Events').${pressed};`)];
      }
      default:
        return unreachable(step);
    }
  },
};

/** Makes a call of osascript. The script goes through stdin. */
function script(source: string): ProgramCall {
  return {...call('osascript', '-l', 'JavaScript', '-'), stdin: `ObjC.import('CoreGraphics'); ${source}`};
}

/** Returns the script for one mouse event. `count` is 2 for the second click of a double click. */
function mouse(type: number, {x, y}: Point, {button, count} = {button: 0, count: 1}): string {
  const made = `$.CGEventCreateMouseEvent($(), ${type}, {x: ${x}, y: ${y}}, ${button})`;
  return `(event => { $.CGEventSetIntegerValueField(event, 1, ${count}); $.CGEventPost(0, event); })(${made});`;
}

const keyCodes = {
  enter: 36,
  tab: 48,
  space: 49,
  escape: 53,
  backspace: 51,
  delete: 117,
  insert: 114,
  home: 115,
  end: 119,
  pageup: 116,
  pagedown: 121,
  up: 126,
  down: 125,
  left: 123,
  right: 124,
  f1: 122,
  f2: 120,
  f3: 99,
  f4: 118,
  f5: 96,
  f6: 97,
  f7: 98,
  f8: 100,
  f9: 101,
  f10: 109,
  f11: 103,
  f12: 111,
} as const satisfies Record<NamedKey, number>;
