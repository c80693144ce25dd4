import { checkManifest, describeViolation } from '@signalman/slack/platform'
import type { Store } from '../app/store.ts'
import { createManifest } from '../bot/install/manifest.ts'
import { manifestDifferences, scopeDifferences } from '../bot/install/manifest-differences.ts'
import { listSteps } from '../bot/install/workflow-steps.ts'
import { type Config, ConfigError, readConfig } from '../config.ts'
import { grouped } from '../domain/wording.ts'
import { tryTracing } from '../tracing/open-tracing.ts'
import { examineDatabase, examineRows, examineUpkeep } from './database.ts'
import { advice, type DoctorFinding, describeError, fault, ok, skipped, unopened } from './finding.ts'
import { examineReach } from './reach.ts'
import { examineService } from './service.ts'
import {
  examineClient,
  examineManifestAtSlack,
  examineSocketMode,
  examineToken,
  MEND_NOT_SLACK,
  SLACK,
  WITHIN_MS,
} from './slack.ts'

type Environment = Readonly<Record<string, string | undefined>>

const NODE_NEEDED = 24
const MOST_WORKSPACES = 50
const MOST_NAMED = 10

export interface Examination {
  environment: Environment
  now?: (() => Date) | undefined
  /** The manifest installed at Slack, if a file was given. */
  installed?: unknown
}

/** Checks every part of a deployment, one after the other. Changes nothing. */
export async function examine({
  environment,
  now = () => new Date(),
  installed,
}: Examination): Promise<DoctorFinding[]> {
  const read = readConfigOrFindings(environment)
  if (Array.isArray(read))
    return [
      nodeFinding(process.versions.node),
      ...read,
      skipped('everything else', 'Checked once the configuration is right.'),
    ]
  const { findings: database, store } = await examineDatabase(read, now())
  try {
    return [
      nodeFinding(process.versions.node),
      ok('configuration', 'No problems.'),
      ...database,
      await examineClock(read, now),
      ...(await examineSlack(read, store)),
      manifestFinding(read, installed),
      await examineManifestAtSlack(read.slack.configToken, expectedManifest(read), read.slack.apiUrl),
      ...workflowFindings(read),
      ...(await examineReach(read, now)),
      ...(await examineService(read, store)),
      ...(await examineTraces(read)),
      ...(store ? [...(await examineRows(store)), ...(await examineUpkeep(store, read, now()))] : []),
    ]
  } finally {
    await store?.[Symbol.asyncDispose]()
  }
}

function readConfigOrFindings(environment: Environment): Config | DoctorFinding[] {
  try {
    return readConfig(environment)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.faults.map((one) => {
      const [says = one, ...mend] = one.split('; ')
      return fault('configuration', `${says}.`, mend.join('; ') || undefined)
    })
  }
}

function nodeFinding(version: string): DoctorFinding {
  return Number(version.split('.')[0]) >= NODE_NEEDED
    ? ok('node', `This is Node ${version}.`)
    : fault('node', `This is Node ${version}.`, `Install Node ${NODE_NEEDED} or newer.`)
}

/** No API shows an app the workspace's plan, or what its owners have turned off. */
function workflowFindings({ slack: { leftOut } }: Config): DoctorFinding[] {
  const ids = listSteps(leftOut).map(({ id }) => id)
  const says = `Slack doesn’t say whether workflows can use ${ids.join(', ')}. It needs a paid plan. If people see “Workflow currently unavailable”, an owner has turned off third-party steps.`
  return ids.length === 0 ? [] : [skipped('feature workflows', says)]
}

async function examineSlack({ slack }: Config, store: Store | undefined): Promise<DoctorFinding[]> {
  const { tenants, receive, apiUrl, leftOut } = slack
  const sockets = [
    ...('appToken' in receive ? [await examineSocketMode(receive.appToken, apiUrl)] : []),
    ...slack.whyLeftOut.map(({ name, why }) => skipped(`feature ${name}`, `Left out: ${why}`)),
  ]
  if ('botToken' in tenants)
    return [...(await examineToken(tenants.botToken, { apiUrl, leftOut }, 'token')), ...sockets]
  const own = [await examineClient(tenants, apiUrl), ...sockets]
  if (!store)
    return [skipped('slack', 'Installations weren’t checked, because the database isn’t open.'), ...own]
  const all = await store.installations.list()
  const findings: DoctorFinding[] = []
  for await (const { id, token } of installed(store, all.slice(0, MOST_WORKSPACES)))
    findings.push(
      ...(token === undefined
        ? [fault(id, 'The stored bot token can’t be decrypted.', 'Install the app again: /slack/install.')]
        : await examineToken(token, { apiUrl, leftOut }, id)),
    )
  if (findings.length === 0)
    findings.push(
      advice('slack', 'No workspace has installed the app yet.', 'A workspace admin opens /slack/install.'),
    )
  if (all.length > MOST_WORKSPACES)
    findings.push(
      skipped('slack', `Checked only the first ${MOST_WORKSPACES} of ${grouped(all.length)} installations.`),
    )
  return [...findings, ...own]
}

/** The workspaces that installed the app, with their bot tokens; undefined for a token that can't be decrypted. */
async function* installed(
  { installations }: Pick<Store, 'installations'>,
  all: readonly { id: string }[],
): AsyncGenerator<{ id: string; token: string | undefined }, undefined> {
  for (const { id } of all) {
    const found = await installations.find({ workspaceId: id, enterpriseId: id }).catch(unopened)
    if (found) yield { id, token: found === 'unopened' ? undefined : found.botToken }
  }
}

function manifestFinding(config: Config, given: unknown): DoctorFinding {
  if (given === undefined)
    return advice(
      'manifest',
      'Slack doesn’t say which commands are installed.',
      'Copy the JSON of App Manifest (api.slack.com/apps) into a file, and run signalman doctor --manifest FILE.',
    )
  const wanted = expectedManifest(config)
  const differences = [
    ...checkManifest(given).map((one) => `Slack refuses ${describeViolation(one)}`),
    ...scopeDifferences(wanted, given),
    ...manifestDifferences(wanted, given).filter((one) => IMPORTANT.test(one)),
  ]
  if (differences.length === 0)
    return ok('manifest', 'Commands, scopes, events, and addresses match this deployment.')
  const more = differences.length - MOST_NAMED
  return fault(
    'manifest',
    [...differences.slice(0, MOST_NAMED), ...(more > 0 ? [`and ${grouped(more)} more`] : [])].join('; '),
    'Paste the output of signalman manifest into the Slack app’s settings, and reinstall the app.',
  )
}

/** What `signalman manifest` prints for this deployment. */
const expectedManifest = ({ publicUrl: url, commandPrefix: prefix, slack }: Config) =>
  createManifest({ url, prefix, isSocketMode: 'appToken' in slack.receive, leftOut: slack.leftOut })

/** The operator may choose everything else, such as names and descriptions. */
const IMPORTANT =
  /^(features\.slash_commands \S+(:|\.(command|url))|settings\.|oauth_config\.redirect_urls|features\.(shortcuts|rich_previews)|mcp_servers|functions(\.\w+)?:)/

/** Whether the collector accepts an export. Its path and headers may contain keys, so neither is shown. */
export async function examineTraces({ tracing }: Config): Promise<DoctorFinding[]> {
  if (!tracing) return []
  const { origin } = new URL(tracing.url)
  const wrong = await tryTracing(tracing)
  if (wrong === undefined) return [ok('traces', `The collector at ${origin} accepts them.`)]
  return [
    fault(
      'traces',
      `The collector at ${origin} doesn’t accept them (${wrong}). The app continues without traces.`,
      wrong.startsWith('status 4')
        ? 'It must accept OTLP over HTTP with JSON, usually on port 4318. Fix OTEL_EXPORTER_OTLP_ENDPOINT, or set the headers it needs in OTEL_EXPORTER_OTLP_HEADERS.'
        : 'Start it, or fix OTEL_EXPORTER_OTLP_ENDPOINT. The HTTP port is usually 4318.',
    ),
  ]
}

/** Slack and the app both reject requests that are five minutes off. */
const MOST_SKEW_SECONDS = 60

/** Compares the clock with the one in an answer from Slack. */
async function examineClock({ slack }: Config, now: () => Date): Promise<DoctorFinding> {
  const address = slack.apiUrl ?? SLACK
  try {
    const answer = await fetch(`${address}api.test`, {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.timeout(WITHIN_MS),
    })
    const said: unknown = await answer.json().catch(() => undefined)
    if (typeof said !== 'object' || said === null || !('ok' in said))
      return fault(
        'slack',
        `Something other than Slack responds at ${new URL(address).origin} (status ${answer.status}).`,
        MEND_NOT_SLACK,
      )
    const theirs = Date.parse(answer.headers.get('date') ?? '')
    if (Number.isNaN(theirs)) return skipped('clock', 'Slack’s response has no date.')
    return clockFinding(Math.round((now().getTime() - theirs) / 1000), 'signingSecret' in slack.receive)
  } catch (error) {
    return fault(
      'slack',
      `${new URL(address).origin} doesn’t respond (${describeError(error)}).`,
      'Make it reachable from this host (DNS, firewall, proxy).',
    )
  }
}

/** Over HTTP, each request has a signed timestamp; over sockets, none has. */
function clockFinding(seconds: number, isSigned: boolean): DoctorFinding {
  if (Math.abs(seconds) <= MOST_SKEW_SECONDS) return ok('clock', 'It matches Slack’s.')
  const off = `It is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} Slack’s`
  const mend = 'Turn on time synchronization: timedatectl set-ntp true, or chrony.'
  return isSigned
    ? fault('clock', `${off}. At 300 s or more, every request is refused.`, mend)
    : advice('clock', `${off}. Times in messages and in the audit log are wrong.`, mend)
}
