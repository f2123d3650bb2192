import type {AttachedTerminal} from '../../actions/ports.ts';
import {makeAttachedOutput} from './attached-output.ts';
import type {Screen} from './screen.ts';

/** What a person at an attached terminal sees of a block. */
export interface AttachedView {
  /** Takes the next bytes of the program; the emulated screen must have been given them already. */
  push(bytes: Uint8Array): void;
  /** Draws what the emulated screen shows once it has taken everything it was given so far. */
  repaint(): void;
  /** Nothing is shown any more. */
  end(): void;
}

/** Shows the program's own bytes; where those do not tell what the screen looks like, it is drawn from the emulated one. */
export function makeAttachedView(terminal: AttachedTerminal, screen: Screen): AttachedView {
  const decoder = new TextDecoder('utf-8', {ignoreBOM: true});
  const output = makeAttachedOutput();
  let over = false;
  let again = false;
  /** What came after the picture that is about to be drawn; `undefined` while none is. */
  let later: string | undefined;

  function show(chunk: string): void {
    const step = output.push(chunk);
    if (step.text !== '') terminal.show(step.text);
    if (step.screen === 'repaint') repaint();
  }

  function repaint(): void {
    if (later !== undefined) {
      again = true;
      return;
    }
    later = '';
    // Drawn in the very moment in which the emulated screen is so far: a moment later it may have taken more.
    screen.write(new Uint8Array(), draw);
  }

  function draw(): void {
    if (over) return;
    terminal.show(screen.redraw());
    const held = later ?? '';
    later = undefined;
    if (held !== '') show(held);
    if (!again) return;
    again = false;
    repaint();
  }

  return {
    push(bytes) {
      const text = decoder.decode(bytes, {stream: true});
      if (later === undefined) show(text);
      else later += text;
    },
    repaint,
    end() {
      over = true;
    },
  };
}
