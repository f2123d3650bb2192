/** How commands can be confined. `native`: not at all. */
export const providerNames = ['native', 'bwrap', 'claude', 'codex'] as const;
export type ProviderName = (typeof providerNames)[number];

/** The sandbox settings that a user can choose. `auto` is bwrap if weft can prove it on this machine, else native. */
export const sandboxChoices = ['auto', ...providerNames] as const;
export type SandboxChoice = (typeof sandboxChoices)[number];

/**
 * The commands that run in the sandbox. `auto`: those that weft allows because they are confined. A command that the user
 * allowed by a card, a rule or a mode then runs as the user would run it.
 */
export const sandboxesAllCommands = (choice: SandboxChoice): boolean => choice !== 'auto' && choice !== 'native';

/**
 * The access of a hook or an MCP server. `unconfined`: everything that the user may do. `confined`: what the sandbox allows.
 * `network`: the same, plus the network.
 */
export type Rights = 'unconfined' | 'confined' | 'network';

/** The accesses that a backend was seen to block on this machine. */
export interface Proven {
  /** Writes outside the workspace, writes of protected files, reads of secrets. */
  readonly files: boolean;
  /** Connections: to this machine, to others, to unix sockets. */
  readonly network: boolean;
  /** Seeing and signalling processes outside, and making namespaces in which that would be possible again. */
  readonly processes: boolean;
  /** The command's view of the workspace: its changes are held until they are decided about, and the workspace stays as it is. */
  readonly overlay: boolean;
}

/** True if a backend was seen to let commands reach allowed hosts, and no others, through weft's proxy. */
export interface HostsProof {
  readonly proven: boolean;
  /** Why not; empty if it is proven. */
  readonly reason: string;
}

export const nothingProven: Proven = {files: false, network: false, processes: false, overlay: false};

/** The outcome of trying a backend. `works`: it starts commands and was seen to stop all that it has to. */
export interface Proof {
  readonly provider: ProviderName;
  readonly works: boolean;
  readonly proven: Proven;
  /** `open`: where commands need the network they have weft's proxy for it, which lets through what rules and people allow. */
  readonly hosts: 'closed' | 'open';
  /** Why it does not work, or what is missing from the proof; empty if nothing is. */
  readonly reason: string;
}

export const nativeProof: Proof = {
  provider: 'native',
  works: true,
  proven: nothingProven,
  hosts: 'closed',
  reason: 'commands run as you do: nothing is confined',
};

/** The minimum for a sandbox: a command inside can change nothing but the workspace and can't send data. */
export const confines = ({works, proven}: Proof): boolean => works && proven.files && proven.network;

/** The minimum for running a command without asking: it can't send data, leaves no process, and its changes need a decision. */
export const holdsChanges = (proof: Proof): boolean =>
  confines(proof) && proof.proven.processes && proof.proven.overlay;

/** Names in words what is proven: `files, network and processes`. Empty if nothing is. */
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
