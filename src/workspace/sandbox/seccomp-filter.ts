/** The descriptor of the open filter file when bwrap starts. */
export const filterDescriptor = '9';

/** Returns shell code that runs the program in its arguments, with `file` open at that descriptor. */
export const withFilter = (file: string): string => `exec "$@" ${filterDescriptor}<"${file}"`;

/** The numbers for one processor (seccomp(2), `AUDIT_ARCH_…` and the tables of system calls). */
interface Table {
  readonly arch: number;
  readonly socket: number;
  /** `add_key`, `request_key`, `keyctl`, and `io_uring_setup`, because operations in a ring bypass the filter. */
  readonly refused: readonly number[];
  /** A single call for all socket operations; its first argument selects one. */
  readonly socketCall: number | 'none';
}

const ioUringSetup = 425;
const x64: Table = {arch: 0xc000003e, socket: 41, refused: [248, 249, 250, ioUringSetup], socketCall: 'none'};
const x86: Table = {arch: 0x40000003, socket: 359, refused: [286, 287, 288, ioUringSetup], socketCall: 102};
const arm64: Table = {arch: 0xc00000b7, socket: 198, refused: [217, 218, 219, ioUringSetup], socketCall: 'none'};
const arm: Table = {arch: 0x40000028, socket: 281, refused: [309, 310, 311, ioUringSetup], socketCall: 'none'};

const tables: Partial<Record<NodeJS.Architecture, readonly Table[]>> = {x64: [x64, x86], arm64: [arm64, arm]};

/**
 * AF_UNIX, AF_INET, AF_INET6, AF_NETLINK: each network namespace has its own. No namespace isolates AF_VSOCK, which
 * reaches the host of a virtual machine.
 */
const families = [1, 2, 10, 16];

const allow = 0x7fff0000;
const refuse = (error: number): number => 0x00050000 + error;
const enosysAction = refuse(38);
const eafnosupportAction = refuse(97);

/** On x64, calls of the x32 ABI have this bit. */
const x32 = 0x40000000;

const numberAt = 0;
const archAt = 4;
const firstArgumentAt = 16;

/**
 * Returns the BPF program (`struct sock_filter`, seccomp(2)) that refuses what no namespace isolates: the keys of the
 * user's login (keyrings(7)), and sockets of unusual families. For an unknown processor it refuses nothing.
 */
export function systemCallFilter(processor: NodeJS.Architecture): Uint8Array {
  const sections = (tables[processor] ?? []).map(table => {
    const body = [
      ...load(numberAt),
      ...(table === x64 ? onlyIf(atLeast, x32, answer(enosysAction)) : []),
      ...table.refused.flatMap(call => onlyIf(equal, call, answer(enosysAction))),
      ...(table.socketCall === 'none'
        ? []
        : onlyIf(equal, table.socketCall, [
            ...load(firstArgumentAt),
            ...onlyIf(equal, 1, answer(eafnosupportAction)),
            ...answer(allow),
          ])),
      ...onlyIf(equal, table.socket, [
        ...load(firstArgumentAt),
        ...families.flatMap(family => onlyIf(equal, family, answer(allow))),
        ...answer(eafnosupportAction),
      ]),
      ...answer(allow),
    ];
    return [...load(archAt), ...onlyIf(equal, table.arch, body)];
  });
  const steps = [...sections.flat(), ...answer(allow)];
  const bytes = new DataView(new ArrayBuffer(steps.length * 8));
  for (const [index, {code, otherwise, value}] of steps.entries()) {
    bytes.setUint16(index * 8, code, true);
    bytes.setUint8(index * 8 + 3, otherwise);
    bytes.setUint32(index * 8 + 4, value, true);
  }
  return new Uint8Array(bytes.buffer);
}

interface Step {
  readonly code: number;
  /** How many steps to skip if the comparison fails. */
  readonly otherwise: number;
  readonly value: number;
}

const equal = 0x15;
const atLeast = 0x35;

const load = (at: number): readonly Step[] => [{code: 0x20, otherwise: 0, value: at}];
const answer = (value: number): readonly Step[] => [{code: 0x06, otherwise: 0, value}];
const onlyIf = (comparison: number, value: number, then: readonly Step[]): readonly Step[] => [
  {code: comparison, otherwise: then.length, value},
  ...then,
];
