import type {FoundHarness} from '../../actions/harness-port.ts';
import type {knownHarnesses} from '../../domain/harness.ts';
import type {AcpAgent} from './acp.ts';
import type {Driver, DriverRequest} from './driver.ts';

export interface KnownHarness {
  readonly title: string;
  /** The program's name, and the npm packages whose `package.json` has the version. */
  readonly program: string;
  readonly npmPackages: readonly string[];
  /** The version that weft is written for. Errors mention an older one. */
  readonly minVersion: string;
  readonly install: string;
  readonly signIn: string;
  /** The configuration variables that the harness gets if weft has them. They hold no keys. */
  readonly variables: readonly string[];
  /** The variables that its documentation names for its own sign-in. The user's settings can withhold them. */
  readonly keys: readonly string[];
  readonly abilities: FoundHarness['abilities'];
  readonly driver: (request: DriverRequest) => Promise<Driver>;
}

type KnownName = (typeof knownHarnesses)[number];

/** The keys of providers that harnesses for any model read. */
const providerKeys = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'OPENROUTER_API_KEY'] as const;

export const harnessTable: Readonly<Record<KnownName, KnownHarness>> = {
  claude: {
    title: 'Claude Code',
    program: 'claude',
    npmPackages: ['@anthropic-ai/claude-code'],
    minVersion: '2.1.330',
    install: 'Install it: npm install -g @anthropic-ai/claude-code.',
    signIn: 'Sign in: run claude, then /login.',
    variables: ['CLAUDE_CONFIG_DIR', 'CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'ANTHROPIC_BASE_URL'],
    keys: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_CUSTOM_HEADERS', 'CLAUDE_CODE_OAUTH_TOKEN'],
    abilities: {resumes: 'yes'},
    driver: async request => (await import('./claude.ts')).claudeDriver(request),
  },
  codex: {
    title: 'Codex',
    program: 'codex',
    npmPackages: ['@openai/codex'],
    minVersion: '0.169.0',
    install: 'Install it: npm install -g @openai/codex.',
    signIn: 'Sign in: run codex login.',
    variables: ['CODEX_HOME'],
    keys: ['OPENAI_API_KEY', 'CODEX_API_KEY'],
    abilities: {resumes: 'yes'},
    driver: async request => (await import('./codex.ts')).codexDriver(request),
  },
  gemini: {
    title: 'Gemini CLI',
    program: 'gemini',
    npmPackages: ['@google/gemini-cli'],
    minVersion: '0.61.0',
    install: 'Install it: npm install -g @google/gemini-cli.',
    signIn: 'Sign in: run gemini and choose how.',
    variables: ['GOOGLE_CLOUD_PROJECT', 'GOOGLE_CLOUD_LOCATION', 'GOOGLE_GENAI_USE_VERTEXAI', 'GOOGLE_GEMINI_BASE_URL'],
    keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_APPLICATION_CREDENTIALS'],
    abilities: {resumes: 'no'},
    driver: request =>
      makeAcpDriver(request, {
        args: ['--acp', '--approval-mode', 'default'],
        env: {},
        modelFlag: '--model',
        commandIn: 'title',
        policy: 'gemini',
        signIn: 'Run gemini and choose how to sign in.',
      }),
  },
  opencode: {
    title: 'opencode',
    program: 'opencode',
    npmPackages: ['opencode-ai'],
    minVersion: '1.18.33',
    install: 'Install it: npm install -g opencode-ai.',
    signIn: 'Sign in: run opencode auth login.',
    variables: ['OPENCODE_CONFIG', 'OPENCODE_CONFIG_DIR'],
    keys: providerKeys,
    abilities: {resumes: 'yes'},
    driver: request =>
      makeAcpDriver(request, {
        args: ['acp'],
        env: {
          // Without these, opencode edits files and runs commands without asking.
          OPENCODE_PERMISSION: JSON.stringify(openCodePermission[request.access]),
          OPENCODE_DISABLE_AUTOUPDATE: '1',
          // The project's own configuration would take effect without asking anyone.
          OPENCODE_DISABLE_PROJECT_CONFIG: '1',
        },
        modelFlag: '',
        commandIn: 'raw-input',
        policy: 'none',
        signIn: 'Run opencode auth login.',
      }),
  },
  pi: {
    title: 'pi',
    program: 'pi',
    npmPackages: ['@earendil-works/pi-coding-agent', '@mariozechner/pi-coding-agent'],
    minVersion: '0.73.1',
    install: 'Install it: npm install -g @earendil-works/pi-coding-agent.',
    signIn: 'Sign in: run pi, then /login.',
    variables: ['PI_CODING_AGENT_DIR'],
    keys: providerKeys,
    abilities: {resumes: 'yes'},
    driver: async request => (await import('./pi.ts')).piDriver(request),
  },
};

const openCodePermission = {
  'with-approvals': {'*': 'ask', read: 'ask', edit: 'ask', bash: 'ask', webfetch: 'ask', external_directory: 'ask'},
  'read-only': {'*': 'ask', read: 'ask', edit: 'deny', bash: 'deny', webfetch: 'ask', external_directory: 'ask'},
} as const;

export const makeAcpDriver = async (request: DriverRequest, agent: AcpAgent): Promise<Driver> =>
  (await import('./acp.ts')).acpDriver(agent, request);
