import { join } from 'node:path'
import { FILE_VARIABLES } from '../src/config/secret-files.ts'
import { Variables } from '../src/config/variables.ts'
import {
  OPTIONAL_FEATURES,
  OPTIONAL_SCOPES,
  type OptionalFeature,
  REQUIRED_SCOPES,
} from '../src/domain/optional-features.ts'
import { createMetrics } from '../src/metrics/metrics.ts'
import { VARIABLE_MEANINGS } from './variable-meanings.ts'

const GENERATED = '<!-- Written by npm run generate. -->'
const formatCode = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``

const formatTable = (headers: readonly string[], rows: readonly (readonly string[])[]): string =>
  [headers, headers.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

const formatPage = (...parts: string[]): string => `${[GENERATED, ...parts].join('\n\n')}\n`

/** The default value of a variable, from its schema. */
function findDefault(name: keyof typeof Variables.shape): string {
  const parsed = Variables.shape[name].safeParse(undefined)
  if (!parsed.success) return 'required'
  return typeof parsed.data === 'string' || typeof parsed.data === 'number'
    ? formatCode(String(parsed.data))
    : 'none'
}

function generateVariablesPage(): string {
  // `Object.keys` loses the type of the keys.
  const names = Object.keys(Variables.shape) as (keyof typeof Variables.shape)[]
  return formatPage(
    '# Environment variables',
    'Signalman is configured with environment variables, or with a file named `.env` in the folder it runs in. If a variable is in both, the environment takes precedence. There is no other configuration. If a variable has a bad value, or its name is misspelled, Signalman doesn’t start, and lists every problem in one message.',
    formatTable(
      ['variable', 'meaning', 'default'],
      [
        ...names.map((name) => {
          const { means, default: defaultText } = VARIABLE_MEANINGS[name]
          return [
            formatCode(name),
            means,
            defaultText ?? (findDefault(name) === '``' ? 'none' : findDefault(name)),
          ]
        }),
      ],
    ),
    '## Secrets in files',
    `Instead of a secret, you can give the path of a file with it, such as a mounted secret of Docker or Kubernetes: ${FILE_VARIABLES.map(formatCode).join(', ')}. A secret and its file can’t both be set.`,
    '## Proxies',
    'If `HTTPS_PROXY` is set, Signalman connects to Slack and the service through that proxy, which has to allow `CONNECT`: `http://proxy.example.com:3128`, with a name and a password as in `http://user:password@proxy.example.com:3128`. Without `http://` in front, it means the same. `HTTP_PROXY` is for addresses with `http://`, and for all if `HTTPS_PROXY` isn’t set. `NO_PROXY` lists hosts and domains that are reached directly, separated by commas; this machine always is, and PostgreSQL, too. Each may also be in lower case, and in `.env`.',
  )
}

/** Lists each metric with its help text, and with its labels, which are read from a sample. */
async function generateMetricsPage(): Promise<string> {
  const metrics = createMetrics()
  metrics.recordAcknowledgement('http', 1)
  metrics.recordRequest('command', 'done', 1)
  for (const to of ['slack', 'service'] as const)
    metrics.recordCall({ to, method: 'GET', outcome: 'ok', ms: 1 })
  metrics.countUndecryptableRow('row')
  metrics.setGaugeSources({
    stats: async () => ({
      work: [{ kind: 'kind', waiting: 1, oldestSeconds: 1 }],
      ordersUnknown: 0,
      environmentsWithoutData: 0,
      polls: { late: 0, lagSeconds: 0, unseenSeconds: 0 },
      unconfirmedUninstalls: 0,
      outbox: { waiting: 0, oldestSeconds: 0 },
    }),
    sockets: () => ({ open: 2, opened: 2, gaps: 0, elsewhere: 0 }),
    running: () => 0,
  })
  const text = await metrics.text()
  const rows = [...text.matchAll(/^# HELP (signalman_\w+) (.*)\n# TYPE \S+ (\w+)$/gm)].map(
    ([, name = '', help = '', type = '']) => {
      const sample = new RegExp(`^${name}(?:_bucket)?\\{(.*)\\}`, 'm').exec(text)?.[1] ?? ''
      const labels = [...sample.matchAll(/(\w+)="/g)].map(([, label = '']) => label)
      return [
        formatCode(name),
        type,
        labels
          .filter((label) => label !== 'le')
          .map(formatCode)
          .join(', ') || '–',
        help,
      ]
    },
  )
  return formatPage(
    '# Metrics',
    'Signalman serves these at `/metrics` in Prometheus’s text format, together with the Prometheus client’s metrics for Node.js processes (`process_…`, `nodejs_…`). No metric identifies a workspace, a person, or a check. Metrics read from the database are the same in every process: use `max()`, not `sum()`. There are [example alerts](prometheus/alerts.yml) and a [dashboard](prometheus/dashboard.json).',
    formatTable(
      ['metric', 'type', 'labels', 'meaning'],
      rows.toSorted(([left = ''], [right = '']) => (left < right ? -1 : 1)),
    ),
  )
}

const findFeaturesNeeding = (scope: string): OptionalFeature[] =>
  OPTIONAL_FEATURES.filter(({ scopes }) => scopes.includes(scope))

function generateSlackFeaturesPage(): string {
  return formatPage(
    '# Slack features and scopes',
    'This page lists the Slack features that Signalman uses, and the scopes that they need. `signalman manifest` and `signalman doctor` use the same tables. None of this has been tested in a real workspace yet.',
    '## Optional features',
    'Each needs optional scopes, which the person who installs the app can decline.',
    formatTable(
      ['feature', 'what people lose without it', 'scopes'],
      OPTIONAL_FEATURES.map(({ name, description, scopes }) => [
        formatCode(name),
        description,
        scopes.map(formatCode).join(', '),
      ]),
    ),
    '## Scopes (permissions)',
    'Every scope is in `oauth_config.scopes.bot`. The optional ones are also in `bot_optional`: the person who installs the app can decline them. `doctor` then says which features are off.',
    'Signalman doesn’t request `chat:write.public`, so it posts only in channels that it was invited to. Adding that scope changes nothing.',
    formatTable(
      ['scope', 'optional', 'if it’s missing'],
      [
        ...REQUIRED_SCOPES.map((scope) => [scope, false] as const),
        ...OPTIONAL_SCOPES.map((scope) => [scope, true] as const),
      ]
        .toSorted(([left], [right]) => (left < right ? -1 : 1))
        .map(([scope, isOptional]) => [
          formatCode(scope),
          isOptional ? 'yes' : 'no',
          isOptional
            ? `off: ${findFeaturesNeeding(scope)
                .map(({ name }) => formatCode(name))
                .join(', ')}`
            : 'nothing works',
        ]),
    ),
  )
}

/** All pages that are generated only from the sources, by file. */
export async function generateReferencePages(): Promise<ReadonlyMap<string, string>> {
  const pages = {
    variables: generateVariablesPage(),
    metrics: await generateMetricsPage(),
    'slack-features': generateSlackFeaturesPage(),
  }
  return new Map(Object.entries(pages).map(([name, text]) => [join(import.meta.dirname, `${name}.md`), text]))
}
