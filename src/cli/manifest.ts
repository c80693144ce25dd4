import { createManifest } from '../bot/install/manifest.ts'
import { Variables } from '../config/variables.ts'
import {
  explainDisabledFeatures,
  type FeatureChoice,
  findDisabledFeatures,
  OPTIONAL_FEATURES,
  parseFeatures,
} from '../domain/optional-features.ts'
import { OperatorError, printLine } from './operator.ts'
import { operatorVerb } from './operator-verb.ts'

/** Lists the features for `--with` (`isOptIn`) or `--without`. Features that not every Slack workspace has are opt-in. */
const featureLines = (isOptIn: boolean): string =>
  OPTIONAL_FEATURES.filter(({ plan }) => (plan !== undefined) === isOptIn)
    .map(({ name, description }) => `                         ${name.padEnd(20)} ${description}`)
    .join('\n')

const HELP = `
Prints the manifest as JSON, for Slack: Create New App → From a manifest, or App Manifest of an existing app. Every workspace
accepts it, even on the free plan, unless you use --with for a feature that not every workspace has. The person who installs
the app can decline the optional scopes.

  --url https://host   where Slack reaches the app. Default: PUBLIC_URL. Not needed with --socket
  --socket             Socket Mode, which needs no public address (OAuth still needs --url)
  --prefix x-          a prefix for every command. Default: COMMAND_PREFIX
  --with FEATURE       adds a feature. Can be repeated:
${featureLines(true)}
  --without FEATURE    leaves out a feature, and the scopes that only it needs. Can be repeated:
${featureLines(false)}

Read from the environment: PUBLIC_URL, COMMAND_PREFIX, SLACK_APP_TOKEN (if set, implies --socket), SLACK_WITH_FEATURES,
SLACK_WITHOUT_FEATURES.
`

export const manifest = operatorVerb({
  help: HELP,
  flags: {
    url: { type: 'string' },
    prefix: { type: 'string' },
    socket: { type: 'boolean' },
    with: { type: 'string', multiple: true, default: [] as string[] },
    without: { type: 'string', multiple: true, default: [] as string[] },
  },
  async run({ values }, environment) {
    const isSocketMode = values.socket ?? Boolean(environment.SLACK_APP_TOKEN?.trim())
    const choice = readFeatureChoice(environment, values)
    const disabledFeatures = findDisabledFeatures(choice)
    const expected = createManifest({
      url: readAddress(values.url ?? environment.PUBLIC_URL, isSocketMode),
      prefix: readPrefix(values.prefix ?? environment.COMMAND_PREFIX?.trim() ?? ''),
      isSocketMode,
      disabledFeatures,
    })
    for (const note of describeChoice(choice, disabledFeatures)) process.stderr.write(`${note}\n`)
    printLine(JSON.stringify(expected, null, 2))
    return 0
  },
})

/** Lists the features that are left out, with reasons, and Slack's requirements for features that were added. */
function describeChoice(choice: FeatureChoice, disabledFeatures: ReadonlySet<string>): string[] {
  return [
    ...explainDisabledFeatures(choice).map(({ name, why }) => `Left out: ${name}. ${why}`),
    ...OPTIONAL_FEATURES.filter(({ name, plan }) => plan && !disabledFeatures.has(name)).map(
      ({ name, plan }) => `Added: ${name}. Available on ${plan}.`,
    ),
  ]
}

/** Validates a prefix like `COMMAND_PREFIX`. With any other prefix, the app wouldn't recognize its own commands. */
export function readPrefix(text: string): string {
  const { success, error } = Variables.shape.COMMAND_PREFIX.safeParse(text || undefined)
  if (success) return text
  throw new OperatorError(`--prefix (or COMMAND_PREFIX) ${error.issues[0]?.message}.`, 2)
}

function readAddress(text: string | undefined, isSocketMode: boolean): string | undefined {
  if (text === undefined || text.trim() === '') {
    if (isSocketMode) return undefined
    throw new OperatorError('Use --url https://your-host, or --socket for Socket Mode.', 2)
  }
  const url = URL.parse(text.trim())
  const isLocal = url?.hostname === 'localhost' || url?.hostname === '127.0.0.1'
  if (url && (url.protocol === 'https:' || (url.protocol === 'http:' && isLocal)) && url.pathname === '/')
    return url.origin
  throw new OperatorError(
    `"${text}" isn’t an https:// address without a path, such as https://signalman.example.com.`,
    2,
  )
}

/** Combines the features configured in the environment with those in the flags. */
export const readFeatureChoice = (
  environment: Readonly<Record<string, string | undefined>>,
  flags: { with?: readonly string[]; without?: readonly string[] },
): FeatureChoice => ({
  with: readFeatures('with', environment.SLACK_WITH_FEATURES, flags.with),
  without: readFeatures('without', environment.SLACK_WITHOUT_FEATURES, flags.without),
})

function readFeatures(
  kind: 'with' | 'without',
  configured = '',
  fromFlags: readonly string[] = [],
): ReadonlySet<string> {
  const features = parseFeatures([configured, ...fromFlags].join(' '), kind)
  if (!('fault' in features)) return features
  const variable = `SLACK_${kind.toUpperCase()}_FEATURES`
  throw new OperatorError(`--${kind} (or ${variable}) ${features.fault}.`, 2)
}
