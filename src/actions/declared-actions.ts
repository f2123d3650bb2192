/** An action of the task protocol that this version of weft knows by name and cannot carry out. */
export interface DeclaredAction {
  readonly name: string;
  /** The name models know it by. */
  readonly tool: string;
  /** What the tool does, for models and people. */
  readonly description: string;
  /** The names of its inputs as far as they are known; optional ones end in `?`. */
  readonly inputs: readonly string[];
}

/**
 * Actions that are not built yet. Their tools are not offered, and a call to one settles as an error that says so. To build one,
 * take its row out and write its definition (README.md).
 *
 * The task protocol's older `file-glob` is not among them: it is the same search as `file-glob-v2` and no tool of its own.
 */
export const declaredActions: readonly DeclaredAction[] = [
  {
    name: 'use-computer',
    tool: 'UseComputer',
    description: 'Act on the screen, mouse and keyboard.',
    inputs: ['action_summary', 'actions'],
  },
  {
    name: 'request-computer-use',
    tool: 'RequestComputerUse',
    description: 'Ask the user for permission to use the computer.',
    inputs: ['task_summary'],
  },
];
