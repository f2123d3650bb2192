/** How commands can be confined. `native`: not at all. */
export const providerNames = ['native', 'bwrap', 'claude', 'codex'] as const;
export type ProviderName = (typeof providerNames)[number];

/** What a user can ask for; `auto` is bwrap where it proves itself, else native. */
export const sandboxChoices = ['auto', ...providerNames] as const;
export type SandboxChoice = (typeof sandboxChoices)[number];

/**
 * Whether every command runs inside. With `auto` it is those that weft lets through because they are confined: what the user has allowed by
 * a card, a rule or a mode runs as the user would run it.
 */
export const coversAll = (choice: SandboxChoice): boolean => choice !== 'auto' && choice !== 'native';

/**
 * What a hook or an MCP server may do. `unconfined`: all that the user may. `confined`: what the sandbox allows. `network`: the same, and
 * it reaches the network.
 */
export type Rights = 'unconfined' | 'confined' | 'network';

/** What a backend was seen to stop on this machine. */
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

/** Whether a backend was seen to let commands reach, through weft's proxy, the hosts that rules allow and no others. */
export interface HostsProof {
  readonly proven: boolean;
  /** Why not; empty where it is proven. */
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
  /** Why it does not work, or what is missing from the proof; empty where nothing is. */
  readonly reason: string;
}

export const nativeProof: Proof = {
  provider: 'native',
  works: true,
  proven: nothingProven,
  hosts: 'closed',
  reason: 'commands run as you do: nothing is confined',
};

/** The least that counts as a sandbox: a command inside can change nothing but the workspace and tell nobody. */
export const confines = ({works, proven}: Proof): boolean => works && proven.files && proven.network;

/** The least that lets a command run although nobody was asked: it can tell nobody, leaves no process, and its changes are decided about. */
export const holdsChanges = (proof: Proof): boolean =>
  confines(proof) && proof.proven.processes && proof.proven.overlay;

/** `files, network and processes`: what is proven, in words; empty where nothing is. */
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

/** What the user's rules say of a host that a command in the sandbox wants. `open`: none speaks of it. */
export type HostDecision =
  | {readonly kind: 'allowed' | 'denied' | 'asked'; readonly rule: string}
  | {readonly kind: 'open'};
