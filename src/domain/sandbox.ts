/** How commands can be confined. `native`: not at all. */
export const providerNames = ['native', 'bwrap', 'claude', 'codex'] as const;
export type ProviderName = (typeof providerNames)[number];

/** The sandbox settings that a user can choose. `auto` is bwrap if weft can prove it on this machine, else native. */
export const sandboxChoices = ['auto', ...providerNames] as const;
export type SandboxChoice = (typeof sandboxChoices)[number];

/**
 * True if all commands run in the sandbox. With `auto`, only commands run there that weft allows because they are
 * confined. A command that the user allowed by a card, a rule or a mode runs unconfined.
 */
export const sandboxesAllCommands = (choice: SandboxChoice): boolean => choice !== 'auto' && choice !== 'native';

/**
 * The access of a hook or an MCP server. `unconfined`: everything that the user can do. `confined`: what the sandbox
 * allows. `network`: what the sandbox allows, plus the network.
 */
export type Rights = 'unconfined' | 'confined' | 'network';

/** The accesses that a backend was seen to block on this machine. */
export interface Proven {
  /** Writes outside the workspace, writes to protected files, and reads of secrets. */
  readonly files: boolean;
  /** Connections to this machine, to other machines, and to Unix sockets. */
  readonly network: boolean;
  /** Seeing and signaling processes outside, and making namespaces in which this would be possible again. */
  readonly processes: boolean;
  /** Changes to the workspace: they are held until someone decides about them, and the workspace itself stays unchanged. */
  readonly overlay: boolean;
}

/** The proof that commands reach allowed hosts, and no others, through weft's proxy. `proven` is false if a backend fails it. */
export interface HostsProof {
  readonly proven: boolean;
  /** Why this is not proven; empty if it is. */
  readonly reason: string;
}

export const nothingProven: Proven = {files: false, network: false, processes: false, overlay: false};

/** The outcome of trying a backend. `works`: the backend starts commands and was seen to block everything that it must block. */
export interface Proof {
  readonly provider: ProviderName;
  readonly works: boolean;
  readonly proven: Proven;
  /** `open`: commands can reach the hosts that rules and people allow, through weft's proxy. */
  readonly hosts: 'closed' | 'open';
  /** Why the backend does not work, or what weft could not prove about it; empty if it works and all is proven. */
  readonly reason: string;
}

export const nativeProof: Proof = {
  provider: 'native',
  works: true,
  proven: nothingProven,
  hosts: 'closed',
  reason: 'commands run as you do: nothing is confined',
};

/** True if a backend meets the minimum for a sandbox: a command inside can change only the workspace and can't send data. */
export const confines = ({works, proven}: Proof): boolean => works && proven.files && proven.network;

/** True if a command may run in the sandbox without asking: it can't send data, it leaves no process, and its changes need a decision. */
export const holdsChanges = (proof: Proof): boolean =>
  confines(proof) && proof.proven.processes && proof.proven.overlay;

/** Lists what is proven: `files, network and processes`. Empty if nothing is. */
export function provenText({proven, hosts}: Pick<Proof, 'proven' | 'hosts'>): string {
  const {files, network, processes, overlay} = proven;
  const openNetwork = hosts === 'open' ? 'network (but for allowed hosts)' : 'network';
  const parts = [
    ...(files ? ['files'] : []),
    ...(network ? [openNetwork] : []),
    ...(processes ? ['processes'] : []),
    ...(overlay ? ['overlay'] : []),
  ];
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1) ?? ''}`;
}

/** The verdict of the user's rules about a host that a command in the sandbox wants to reach. `open`: no rule covers it. */
export type HostDecision =
  | {readonly kind: 'allowed' | 'denied' | 'asked'; readonly rule: string}
  | {readonly kind: 'open'};
