/**
 * A change that a command in the sandbox made in its copy-on-write view of the workspace. The same bytes written again,
 * a new time stamp, and a file made and removed within the command don't count as changes. Every file and every empty
 * folder is a separate change.
 */
export type Change = {
  /**
   * The path relative to the first workspace folder, with `/`, or absolute if it is in another workspace folder. Bytes
   * that are not UTF-8 are written `\xNN`.
   */
  readonly path: string;
  readonly kind: ChangeKind;
} & (
  | {
      /**
       * `output`: git ignores the file, such as build output and caches. `file`: every other file that may be applied.
       */
      readonly class: 'output' | 'file';
    }
  | {readonly class: 'protected'; readonly why: ProtectedBecause}
);

/**
 * `changed`: other bytes, with or without another mode. `mode`: only the permissions. `link`: the path is now a
 * symbolic link.
 */
export const changeKinds = ['created', 'changed', 'deleted', 'mode', 'link'] as const;
export type ChangeKind = (typeof changeKinds)[number];

/**
 * Why a change is never applied. `name`: its path is protected. `repository`: it is in the data of a git repository.
 * `leads-out`: a link leaves the workspace. `device`: a device, FIFO or socket. `setuid`: it runs with the rights of
 * its owner or group.
 */
export type ProtectedBecause = 'name' | 'repository' | 'leads-out' | 'device' | 'setuid';

/**
 * The reason why a change was not applied. `protected`: no answer could allow it. `conflict`: the file changed outside
 * the sandbox in the meantime. `refused`: a person dropped it. `nobody`: the run was unattended. `unwanted`: the mode
 * `dontAsk`. `rule`: a deny rule. `plan`: plan mode. `interrupted`: the command was stopped. `background`: a person
 * moved it to the background. `failed`: the file could not be written.
 */
export type NotApplied =
  | 'protected'
  | 'conflict'
  | 'refused'
  | 'nobody'
  | 'unwanted'
  | 'rule'
  | 'plan'
  | 'interrupted'
  | 'background'
  | 'failed';

export interface DroppedChange {
  readonly change: Change;
  readonly why: NotApplied;
}

/** A change in the form that programs receive. */
export type ChangeEntry = Readonly<{path: string; kind: ChangeKind}>;

export const changeEntry = ({path, kind}: Change): ChangeEntry => ({path, kind});
