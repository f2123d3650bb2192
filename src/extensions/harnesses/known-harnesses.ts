import type {FoundHarness} from '../../actions/harness-port.ts';
import type {knownHarnesses} from '../../domain/harness.ts';
import type {AcpAgent} from './acp.ts';
import type {Driver, DriverRequest} from './driver.ts';

export interface KnownHarness {
  readonly title: string;
  /** The program's name, and the package whose `package.json` tells the version. */
  readonly program: string;
  readonly npmPackage: string;
  /** The version that weft was made for; an older one is named where it does not work. */
  readonly madeFor: string;
  readonly install: string;
  readonly signIn: string;
  /** Variables that it reads its configuration by, and gets if weft has them. None of them holds a key. */
  readonly variables: readonly string[];
  readonly abilities: FoundHarness['abilities'];
  readonly driver: (request: DriverRequest) => Promise<Driver>;
}

type KnownName = (typeof knownHarnesses)[number];

const ableToAsk = {acts: 'with-approvals', resumes: 'yes'} as const;

export const harnessTable: Readonly<Record<KnownName, KnownHarness>> = {
  claude: {
    title: 'Claude Code',
    program: 'claude',
    npmPackage: '@anthropic-ai/claude-code',
    madeFor: '2.1.330',
    install: 'Install it: npm install -g @anthropic-ai/claude-code.',
    signIn: 'Sign in: run claude, then /login.',
    variables: ['CLAUDE_CONFIG_DIR', 'CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'ANTHROPIC_BASE_URL'],
    abilities: ableToAsk,
    driver: async request => (await import('./claude.ts')).claudeDriver(request),
  },
  codex: {
    title: 'Codex',
    program: 'codex',
    npmPackage: '@openai/codex',
    madeFor: '0.169.0',
    install: 'Install it: npm install -g @openai/codex.',
    signIn: 'Sign in: run codex login.',
    variables: ['CODEX_HOME'],
    abilities: ableToAsk,
    driver: async request => (await import('./codex.ts')).codexDriver(request),
  },
  gemini: {
    title: 'Gemini CLI',
    program: 'gemini',
    npmPackage: '@google/gemini-cli',
    madeFor: '0.61.0',
    install: 'Install it: npm install -g @google/gemini-cli.',
    signIn: 'Sign in: run gemini and choose how.',
    variables: ['GOOGLE_CLOUD_PROJECT', 'GOOGLE_CLOUD_LOCATION', 'GOOGLE_GENAI_USE_VERTEXAI', 'GOOGLE_GEMINI_BASE_URL'],
    abilities: {acts: 'with-approvals', resumes: 'no'},
    driver: request =>
      overAcp(request, {
        args: ['--acp', '--approval-mode', 'default'],
        env: {},
        modelFlag: '--model',
        commandIn: 'title',
        signIn: 'Run gemini and choose how to sign in.',
      }),
  },
  opencode: {
    title: 'opencode',
    program: 'opencode',
    npmPackage: 'opencode-ai',
    madeFor: '1.18.33',
    install: 'Install it: npm install -g opencode-ai.',
    signIn: 'Sign in: run opencode auth login.',
    variables: ['OPENCODE_CONFIG', 'OPENCODE_CONFIG_DIR'],
    abilities: ableToAsk,
    driver: request =>
      overAcp(request, {
        args: ['acp'],
        env: {
          // Without these it edits and runs commands unasked.
          OPENCODE_PERMISSION: JSON.stringify(openCodePermission[request.access]),
          OPENCODE_DISABLE_AUTOUPDATE: '1',
          // The project's own would count without anybody having been asked.
          OPENCODE_DISABLE_PROJECT_CONFIG: '1',
        },
        modelFlag: '',
        commandIn: 'raw-input',
        signIn: 'Run opencode auth login.',
      }),
  },
  pi: {
    title: 'pi',
    program: 'pi',
    npmPackage: '@mariozechner/pi-coding-agent',
    madeFor: '0.73.1',
    install: 'Install it: npm install -g @mariozechner/pi-coding-agent.',
    signIn: 'Sign in: run pi, then /login.',
    variables: ['PI_CODING_AGENT_DIR'],
    abilities: {acts: 'read-only', resumes: 'yes'},
    driver: async request => (await import('./pi.ts')).piDriver(request),
  },
};

const openCodePermission = {
  'with-approvals': {'*': 'ask', read: 'ask', edit: 'ask', bash: 'ask', webfetch: 'ask', external_directory: 'ask'},
  'read-only': {'*': 'ask', read: 'ask', edit: 'deny', bash: 'deny', webfetch: 'ask', external_directory: 'ask'},
} as const;

export const overAcp = async (request: DriverRequest, agent: AcpAgent): Promise<Driver> =>
  (await import('./acp.ts')).acpDriver(agent, request);
