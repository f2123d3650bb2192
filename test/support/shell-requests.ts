import type {ShellRequest} from '../../src/actions/ports.ts';

/** A command on pipes that nobody moves to the background. */
export const onPipes: Pick<ShellRequest, 'background' | 'terminal'> = {
  background: new AbortController().signal,
  terminal: 'none',
};
