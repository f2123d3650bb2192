import type {JobControl} from '../tui/options.ts';

/**
 * weft as a job of the user's shell. It stops by the signal that a terminal sends, with nobody listening: where no shell waits to
 * go on with it (weft is all that runs in a terminal), the system does not stop it then. What runs for the agent has its own group.
 */
export function makeJobControl(): JobControl {
  return {
    watch(listener) {
      const onStop = (): void => listener('asked-to-stop');
      const onContinue = (): void => listener('continued');
      const listen = (): void => {
        process.on('SIGTSTP', onStop);
        process.on('SIGCONT', onContinue);
      };
      const unlisten = (): void => {
        process.off('SIGTSTP', onStop);
        process.off('SIGCONT', onContinue);
      };
      listen();
      return {
        stop() {
          unlisten();
          process.kill(0, 'SIGTSTP');
          listen();
        },
        close: unlisten,
      };
    },
  };
}
