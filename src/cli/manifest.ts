import { readFileSync } from 'node:fs'
import { createManifest, manifestDifferences, scopeDifferences } from '../bot/install/manifest.ts'
import { Variables } from '../config/variables.ts'
import { leftOutOf, OPTIONAL_FEATURES, parseFeatures, whyLeftOut } from '../domain/optional-features.ts'
import { OperatorError, say } from './operator.ts'
import { operatorVerb } from './verbs.ts'

const HELP = `
Prints, as JSON, the manifest to give to Slack: Create New App → From a manifest, or App Manifest of an app that is there.
The scopes that every deployment needs are asked for; the others are optional, and a person may decline them.

  --url https://host   where Slack reaches the app; PUBLIC_URL when left out. Not needed with --socket
  --socket             Socket Mode: no public address (OAuth needs --url all the same)
  --prefix x-          in front of every command; COMMAND_PREFIX when left out
  --without FEATURE    leaves a feature out, with the scopes that only it needs; may be given several times:
${OPTIONAL_FEATURES.map(({ name, does }) => `                         ${name.padEnd(20)} ${does}`).join('\n')}
  --diff FILE          prints instead how the manifest in FILE differs: the JSON from App Manifest at api.slack.com/apps.
                       The exit code is 1 when it does

Read from the environment: PUBLIC_URL, COMMAND_PREFIX, SLACK_APP_TOKEN (set means --socket), SLACK_WITHOUT_FEATURES.
`

export const manifest = operatorVerb({
  help: HELP,
  flags: {
    url: { type: 'string' },
    prefix: { type: 'string' },
    socket: { type: 'boolean' },
    without: { type: 'string', multiple: true, default: [] as string[] },
    diff: { type: 'string' },
  },
  async run({ values }, environment) {
    const isSocketMode = values.socket ?? Boolean(environment.SLACK_APP_TOKEN?.trim())
    const without = leftOutOf(chosenFeatures(environment, values.without), isSocketMode)
    const wanted = createManifest({
      url: addressOf(values.url ?? environment.PUBLIC_URL, isSocketMode),
      prefix: prefixOf(values.prefix ?? environment.COMMAND_PREFIX?.trim() ?? ''),
      isSocketMode,
      without,
    })
    for (const { name, why } of whyLeftOut(without, isSocketMode))
      process.stderr.write(`Left out: ${name}. ${why}\n`)
    if (values.diff === undefined) {
      say(JSON.stringify(wanted, null, 2))
      return 0
    }
    const installed = readInstalled(values.diff)
    const differences = [...scopeDifferences(wanted, installed), ...manifestDifferences(wanted, installed)]
    for (const difference of differences) say(difference)
    if (differences.length === 0) say('The installed manifest is the one of this deployment.')
    return differences.length > 0 ? 1 : 0
  },
})

/** As the app itself takes it: Slack would refuse the commands of any other. */
function prefixOf(text: string): string {
  const { success, error } = Variables.shape.COMMAND_PREFIX.safeParse(text || undefined)
  if (success) return text
  throw new OperatorError(`--prefix (or COMMAND_PREFIX) ${error.issues[0]?.message}.`, 2)
}

function addressOf(text: string | undefined, isSocketMode: boolean): string | undefined {
  if (text === undefined || text.trim() === '') {
    if (isSocketMode) return undefined
    throw new OperatorError('Give --url https://your-host, or --socket for Socket Mode.', 2)
  }
  const url = URL.parse(text.trim())
  const isLocal = url?.hostname === 'localhost' || url?.hostname === '127.0.0.1'
  if (url && (url.protocol === 'https:' || (url.protocol === 'http:' && isLocal)) && url.pathname === '/')
    return url.origin
  throw new OperatorError(`"${text}" is no address such as https://signalman.example.com, without a path.`, 2)
}

/** What `serve` leaves out, and what is named here. */
function chosenFeatures(
  { SLACK_WITHOUT_FEATURES = '' }: Readonly<Record<string, string | undefined>>,
  named: readonly string[],
): ReadonlySet<string> {
  const features = parseFeatures([SLACK_WITHOUT_FEATURES, ...named].join(' '))
  if (!('unknown' in features)) return features
  const known = OPTIONAL_FEATURES.map(({ name }) => name).join(', ')
  throw new OperatorError(`There is no feature "${features.unknown}". There are: ${known}.`, 2)
}

/** Throws OperatorError when it is not there, or no JSON. */
export function readInstalled(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    const reason =
      error instanceof SyntaxError
        ? 'is no JSON: copy it from the JSON tab of App Manifest'
        : 'cannot be read'
    throw new OperatorError(`${path} ${reason}.`)
  }
}
