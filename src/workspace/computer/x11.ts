import type {Key, NamedKey} from '../../actions/computer-port.ts';
import {unreachable} from '../../base/unreachable.ts';
import {call, type Desktop, printedSize, type ProgramCall} from './desktop.ts';

const buttons = {left: 1, middle: 2, right: 3} as const;
const wheel = {up: 4, down: 5, left: 6, right: 7} as const;

/** X11: xdotool, and the program `picture` for screenshots (ImageMagick's, scrot, maim). */
export const x11Desktop = (picture: string): Desktop => ({
  size: {programCall: call('xdotool', 'getdisplaygeometry'), read: printedSize},
  release: [call('xdotool', 'mouseup', 1)],
  screenshot({screen, size, file}) {
    const isScaled = size.width !== screen.width;
    const geometry = `${size.width}x${size.height}`;
    switch (picture) {
      case 'scrot':
        return isScaled
          ? {
              calls: [call('scrot', '--overwrite', '--thumb', geometry, file)],
              picture: {file: file.replace(/\.png$/u, '-thumb.png')},
            }
          : {calls: [call('scrot', '--overwrite', file)], picture: {file}};
      case 'maim':
        return isScaled ? 'cannot-scale' : {calls: [call('maim', '--format', 'png')], picture: 'printed'};
      default: {
        const taken = ['-silent', '-window', 'root', '-resize', `${geometry}!`, 'png:-'];
        return {
          calls: [picture === 'magick' ? call('magick', 'import', ...taken) : call(picture, ...taken)],
          picture: 'printed',
        };
      }
    }
  },
  calls(step) {
    switch (step.kind) {
      case 'move':
        return [call('xdotool', 'mousemove', step.at.x, step.at.y)];
      case 'click': {
        const repeated = step.times === 1 ? [] : ['--repeat', step.times, '--delay', 80];
        return [call('xdotool', 'mousemove', step.at.x, step.at.y, 'click', ...repeated, buttons[step.button])];
      }
      case 'scroll': {
        const turned = ['click', '--repeat', step.notches, '--delay', 20, wheel[step.direction]];
        return [call('xdotool', 'mousemove', step.at.x, step.at.y, ...turned)];
      }
      case 'drag': {
        const {from, to} = step;
        const middle = {x: Math.round((from.x + to.x) / 2), y: Math.round((from.y + to.y) / 2)};
        // Programs recognize a drag only if they see the mouse on its way.
        const way = [middle, to].flatMap(({x, y}) => ['sleep', 0.1, 'mousemove', x, y]);
        return [call('xdotool', 'mousemove', from.x, from.y, 'mousedown', 1, ...way, 'sleep', 0.1, 'mouseup', 1)];
      }
      case 'type':
        return [typeText(step.text)];
      case 'keys':
        return [call('xdotool', 'key', '--clearmodifiers', [...step.modifiers, keySymbol(step.key)].join('+'))];
      default:
        return unreachable(step);
    }
  },
});

const typeText = (text: string): ProgramCall => ({
  ...call('xdotool', 'type', '--delay', 8, '--file', '-'),
  stdin: text,
});

/** Returns the name of the key symbol, which X11 and Wayland share. */
export function keySymbol(key: Key): string {
  if ('named' in key) return keySymbols[key.named] ?? key.named.toUpperCase();
  if (/^[A-Za-z0-9]$/u.test(key.character)) return key.character;
  return `U${(key.character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

const keySymbols: Readonly<Partial<Record<NamedKey, string>>> = {
  enter: 'Return',
  tab: 'Tab',
  space: 'space',
  escape: 'Escape',
  backspace: 'BackSpace',
  delete: 'Delete',
  insert: 'Insert',
  home: 'Home',
  end: 'End',
  pageup: 'Prior',
  pagedown: 'Next',
  up: 'Up',
  down: 'Down',
  left: 'Left',
  right: 'Right',
};
