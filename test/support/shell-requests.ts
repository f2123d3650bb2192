import type {ShellRequest} from '../../src/actions/ports.ts';

/** A command on pipes that nobody moves to the background, and about whose hosts nobody is asked. */
export const onPipes: Pick<ShellRequest, 'background' | 'hosts' | 'terminal'> = {
  background: new AbortController().signal,
  hosts: async () => 'nobody',
  terminal: 'none',
};
