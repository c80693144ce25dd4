import { join } from 'node:path'
import { TEXT_LIMITS } from '@signalman/runtime'
import { METHOD_SCOPES, type PlatformFeature } from '@signalman/slack/platform'
import { LIMITS } from '../src/bot/pipeline/budgets.ts'
import { VERBS } from '../src/cli/verbs.ts'
import { Variables } from '../src/config/variables.ts'
import {
  eventsOf,
  NEEDED_SCOPES,
  OPTIONAL_FEATURES,
  type OptionalFeature,
  optionalScopes,
  platformOf,
} from '../src/domain/optional-features.ts'
import { createMetrics } from '../src/metrics/metrics.ts'
import { SERVICE_LIMITS } from '../src/service/limits.ts'
import { LIMIT_MEANINGS, REPLICA_ROWS } from './limit-meanings.ts'
import { TRACING_ROW, VARIABLE_MEANINGS } from './variable-meanings.ts'

const WRITTEN = '<!-- Written by npm run commands. -->'
const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``

const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

const page = (...parts: string[]): string => `${[WRITTEN, ...parts].join('\n\n')}\n`

/** What a variable is where nobody sets it: read from its own form. */
function defaultOf(name: keyof typeof Variables.shape): string {
  const read = Variables.shape[name].safeParse(undefined)
  if (!read.success) return 'required'
  return typeof read.data === 'string' || typeof read.data === 'number' ? code(String(read.data)) : 'none'
}

function variablesPage(): string {
  // `Object.keys` forgets which keys these are.
  const names = Object.keys(Variables.shape) as (keyof typeof Variables.shape)[]
  return page(
    '# Variables',
    'Everything that Signalman is told from outside: as environment variables, or in a file named `.env` in the folder in which it is run; the environment counts more. It reads no other configuration. One that is unknown and begins like one of these, or a bad value, stops the start, and every fault is told in one message.',
    table(
      ['variable', 'meaning', 'default'],
      [
        ...names.map((name) => {
          const { means, without } = VARIABLE_MEANINGS[name]
          return [code(name), means, without ?? (defaultOf(name) === '``' ? 'none' : defaultOf(name))]
        }),
        TRACING_ROW,
      ],
    ),
  )
}

async function programPage(): Promise<string> {
  const verbs = await Promise.all(
    VERBS.map(async (verb) => ({ ...verb, help: (await verb.load()).help.replace(/^\n/, '').trimEnd() })),
  )
  return page(
    '# The program',
    'One program does everything an operator does: `npx signalman VERB` (or `npm run signalman -- VERB`) here, `docker compose exec signalman signalman VERB` in the container.',
    'It ends with 0 when all is done; with 1 when something could not be done, or a fault was found; and with 2 when what was typed is wrong or not enough (no such verb or flag, no FILE, no `--yes`): then nothing was changed. `npx signalman --version` says the version, and the SHA-256 of the program.',
    table(
      ['verb', 'does'],
      verbs.map(({ name, does }) => [`[${name}](#${name.replaceAll(' ', '-')})`, does]),
    ),
    ...verbs.flatMap(({ name, takes, help }) => [
      `## ${name}`,
      `\`\`\`text\nsignalman ${`${name} ${takes}`.trim()}\n\n${help}\n\`\`\``,
    ]),
  )
}

/** What stands in each metric's own help; its labels are those of a sample that was counted in. */
async function metricsPage(): Promise<string> {
  const metrics = createMetrics()
  metrics.acknowledged('http', 1)
  metrics.handled('command', 'done', 1)
  for (const to of ['slack', 'service'] as const) metrics.called({ to, method: 'GET', outcome: 'ok', ms: 1 })
  metrics.unopened('row')
  metrics.read({
    figures: async () => ({
      work: [{ kind: 'kind', waiting: 1, oldestSeconds: 1 }],
      ordersUnknown: 0,
      blind: 0,
      backupAgeSeconds: 1,
      anchorAgeSeconds: 1,
      cards: { waiting: 0, oldestSeconds: 0 },
    }),
    sockets: () => ({ open: 2, opened: 2, gaps: 0, gapMs: 0 }),
    running: () => 0,
    latePolls: () => 0,
    pollLagSeconds: () => 0,
  })
  const text = await metrics.text()
  const rows = [...text.matchAll(/^# HELP (signalman_\w+) (.*)\n# TYPE \S+ (\w+)$/gm)].map(
    ([, name = '', help = '', type = '']) => {
      const sample = new RegExp(`^${name}(?:_bucket)?\\{(.*)\\}`, 'm').exec(text)?.[1] ?? ''
      const labels = [...sample.matchAll(/(\w+)="/g)].map(([, label = '']) => label)
      return [
        code(name),
        type,
        labels
          .filter((label) => label !== 'le')
          .map(code)
          .join(', ') || '–',
        help,
      ]
    },
  )
  return page(
    '# Metrics',
    'At `/metrics`, in Prometheus’s text format, beside what the library says of the process itself (`process_…`, `nodejs_…`). None of them names a workspace, a person or a check. What is read from the database is the same from every process: take `max()` of it, not `sum()`. [Example alerts](prometheus/alerts.yml) and a [dashboard](prometheus/dashboard.json) use them.',
    table(
      ['metric', 'type', 'labels', 'meaning'],
      rows.toSorted(([one = ''], [other = '']) => (one < other ? -1 : 1)),
    ),
  )
}

function limitsPage(): string {
  const rowsOf = <Name extends string>(
    limits: Readonly<Record<Name, number>>,
    meanings: Readonly<Record<Name, string>>,
  ) =>
    // `Object.entries` forgets which keys these are.
    (Object.entries(meanings) as [Name, string][]).map(([name, means]) => [
      means,
      limits[name].toLocaleString('en'),
    ])
  const { timeouts, retry, ...rest } = SERVICE_LIMITS
  const { attempts } = retry
  return page(
    '# Limits',
    'How much Signalman takes and asks for. Beyond a limit it says so, with the limit, and begins nothing. What bounds each table is in [what is stored](data.md).',
    '## Requests',
    table(['what', 'at most'], rowsOf(LIMITS, LIMIT_MEANINGS.requests)),
    '## What people send',
    table(['what', 'at most'], rowsOf(TEXT_LIMITS, LIMIT_MEANINGS.texts)),
    '## Calls to the service',
    table(['what', 'at most'], rowsOf({ ...timeouts, ...rest, attempts }, LIMIT_MEANINGS.service)),
    '## With several replicas',
    'Each process counts what it takes by itself, so that no read asks the database for it. What protects Slack or the service is shared out, or counted in the database; what protects a process is each one’s own.',
    table(['budget', 'one process', 'with N replicas'], REPLICA_ROWS),
    'A process says every five seconds that it lives, and hears then how many replicas there are. One that has fallen silent counts for 30 seconds more.',
  )
}

/** What a feature adds to the manifest. */
function manifestKeys(feature: OptionalFeature, { at, settings = {} }: PlatformFeature): string {
  const added = [
    code(at.join('.')),
    ...feature.scopes.map((scope) => `the scope ${code(scope)}`),
    ...eventsOf(feature).map((event) => `the event ${code(event)}`),
    ...Object.entries(settings).map(([key, value]) => code(`settings.${key}: ${value}`)),
    ...(feature.includes ?? []).map((name) => `everything of ${code(name)}`),
  ]
  return added.join(', ')
}

const needing = (scope: string): OptionalFeature[] =>
  OPTIONAL_FEATURES.filter(({ scopes }) => scopes.includes(scope))

function slackFeaturesPage(): string {
  const optIn = OPTIONAL_FEATURES.flatMap((feature) => {
    const platform = platformOf(feature)
    return platform ? [{ feature, platform }] : []
  })
  const methods = (scope: string) =>
    Object.entries(METHOD_SCOPES)
      .filter(([, scopes]) => scopes.includes(scope))
      .map(([method]) => method)
  return page(
    '# Slack features and scopes',
    'What the Slack app asks of a workspace. The same tables make the manifest, decide what `signalman manifest --diff` and `signalman doctor` report, and tell the local Slack what to refuse. None of it has been tried on a real workspace yet: set `SLACK_CONFIG_TOKEN`, and `doctor` has Slack itself validate the manifest, without creating anything.',
    '## Features to turn on',
    'The default manifest has only what every workspace accepts, on the free plan too. To add a feature, set `SLACK_WITH_FEATURES=workflows,slackbot` (or similar), give Slack the manifest that `signalman manifest` prints then, and install the app again.',
    table(
      ['feature', 'people get', 'the manifest gets', 'Slack has it on', 'distribution', 'not settled'],
      optIn.map(({ feature, platform }) => [
        code(feature.name),
        feature.does,
        manifestKeys(feature, platform),
        platform.plan ?? 'not documented',
        platform.distribution ?? '–',
        platform.unsettled ?? '–',
      ]),
    ),
    '## Features to turn off',
    'These are on. `SLACK_WITHOUT_FEATURES` turns them off, with the scopes that only they need.',
    table(
      ['feature', 'people lose', 'scopes'],
      OPTIONAL_FEATURES.filter((one) => platformOf(one) === undefined).map(({ name, does, scopes }) => [
        code(name),
        does,
        scopes.map(code).join(', ') || 'none',
      ]),
    ),
    '## Scopes',
    'Every scope is in `oauth_config.scopes.bot`. Whoever installs the app may decline those that are in `bot_optional` too; `doctor` and App Home then say what is off.',
    table(
      ['scope', 'may be declined', 'without it'],
      [
        ...NEEDED_SCOPES.map((scope) => [scope, false] as const),
        ...optionalScopes(new Set()).map((scope) => [scope, true] as const),
      ]
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([scope, isOptional]) => [
          code(scope),
          isOptional ? 'yes' : 'no',
          isOptional
            ? `off: ${needing(scope)
                .map(({ name }) => code(name))
                .join(', ')}`
            : `nothing works${methods(scope).length > 0 ? '' : ': there are no commands'}`,
        ]),
    ),
  )
}

/** Every page that follows from the sources alone: its file, and its text. */
export async function referencePages(): Promise<ReadonlyMap<string, string>> {
  const pages = {
    variables: variablesPage(),
    program: await programPage(),
    metrics: await metricsPage(),
    limits: limitsPage(),
    'slack-features': slackFeaturesPage(),
  }
  return new Map(Object.entries(pages).map(([name, text]) => [join(import.meta.dirname, `${name}.md`), text]))
}
