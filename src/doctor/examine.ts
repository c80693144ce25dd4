// This folder examines a deployment, for `signalman doctor` and `init`.

import { fetchOnce } from '@signalman/runtime'
import { callMonitor } from '../app/call-monitor.ts'
import { describeDeployment, findForeignData } from '../app/deployment.ts'
import type { Store } from '../app/store.ts'
import { UNCONFIRMED_UNINSTALL } from '../bot/install/uninstalling.ts'
import { type Config, ConfigError, readConfig } from '../config.ts'
import { examineDatabase, examineRestore } from './database.ts'
import {
  advice,
  catchSealError,
  type DoctorFinding,
  examineAll,
  fault,
  ok,
  skipped,
  startTimeLimit,
} from './finding.ts'
import { examineAuthorities, watchProxies } from './network.ts'
import { examineReachability } from './reachability.ts'
import { examineService } from './service.ts'
import {
  createClient,
  examineClient,
  examineSocketMode,
  examineToken,
  noAnswer,
  notSlack,
  SLACK_API_URL,
  TIMEOUT_MS,
} from './slack.ts'

type Environment = Readonly<Record<string, string | undefined>>

interface ExamineOptions {
  environment: Environment
  now?: (() => Date) | undefined
}

/** Checks every part of a deployment in turn. Changes nothing. */
export async function examine({
  environment,
  now = () => new Date(),
}: ExamineOptions): Promise<DoctorFinding[]> {
  const config = readConfigOrFindings(environment)
  if (Array.isArray(config)) return [...config, skipped('everything else', 'Fix the configuration first.')]
  using proxies = watchProxies(environment)
  const timeUp = startTimeLimit()
  const { findings: database, store, processes } = await examineDatabase(config, now())
  const reachability = examineReachability(config, now, processes)
  try {
    // At the same time, because each waits until the other side answers, or doesn't.
    const rest = await Promise.all([
      examineAuthorities(environment.NODE_EXTRA_CA_CERTS),
      examineClock(config, now),
      examineSlack(config, store, timeUp, reachability),
      store ? examineUninstalls(store) : [],
      reachability,
      examineService(config, store, timeUp),
      examineMonitor(config),
      store ? examineDeployment(config, store, now()) : [],
      store ? examineRestore(store) : [],
    ])
    return [ok('configuration', 'No problems.'), ...database, ...rest.flat(), ...proxies.describe()]
  } finally {
    await store?.[Symbol.asyncDispose]()
  }
}

function readConfigOrFindings(environment: Environment): Config | DoctorFinding[] {
  try {
    return readConfig(environment)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    // A fault has the form “problem; fix”.
    return error.faults.map((text) => {
      const [message = text, ...fix] = text.split('; ')
      return fault('configuration', `${message.replace(/\.$/, '')}.`, fix.join('; ') || undefined)
    })
  }
}

async function examineSlack(
  { slack }: Config,
  store: Store | undefined,
  timeUp: Promise<void>,
  reachability: Promise<DoctorFinding[]>,
): Promise<DoctorFinding[]> {
  const { tenants, receive, apiUrl } = slack
  const sockets =
    'appToken' in receive
      ? reachability.then((found) =>
          examineSocketMode(
            receive.appToken,
            apiUrl,
            found.some(({ part, state }) => part === 'running app' && state === 'ok'),
          ),
        )
      : []
  if ('botToken' in tenants)
    return (await Promise.all([examineToken(tenants.botToken, apiUrl, 'token'), sockets])).flat()
  const appFindings = (await Promise.all([examineClient(tenants, apiUrl), sockets])).flat()
  if (!store)
    return [
      skipped('slack', 'Installations weren’t checked, because the database couldn’t be opened.'),
      ...appFindings,
    ]
  const findings = await examineAll(
    'slack',
    await store.installations.list(),
    async ({ id }) => {
      const installation = await store.installations.find(id).catch(catchSealError)
      if (installation === undefined) return []
      return installation === 'undecryptable'
        ? [fault(id, 'The stored bot token can’t be decrypted.', 'Install the app again: /slack/install.')]
        : examineToken(installation.botToken, apiUrl, id)
    },
    timeUp,
  )
  if (findings.length === 0)
    findings.push(
      advice(
        'slack',
        'The app isn’t installed in any workspace.',
        'Ask a workspace admin to open /slack/install.',
      ),
    )
  return [...findings, ...appFindings]
}

async function examineDeployment(config: Config, store: Store, now: Date): Promise<DoctorFinding[]> {
  const { tenants, apiUrl } = config.slack
  // A refused token is reported by `examineToken`.
  const owner =
    'botToken' in tenants
      ? await createClient(tenants.botToken, apiUrl)
          .auth.test()
          .catch(() => undefined)
      : undefined
  const deployment = describeDeployment(config, { workspaceId: owner?.team_id, botId: owner?.user_id })
  const found = await findForeignData(store, deployment, now)
  return found.map((foreign) => ({ part: 'deployment', ...foreign }))
}

/** Calls the monitor as the app does. It counts that as a sign of life, once. */
async function examineMonitor({ heartbeatUrl }: Config): Promise<DoctorFinding[]> {
  if (heartbeatUrl === undefined) return []
  const problem = await callMonitor(heartbeatUrl)
  return [
    problem === undefined
      ? ok('monitor', 'HEARTBEAT_URL accepts the call.')
      : fault('monitor', `HEARTBEAT_URL: ${problem}.`, 'Copy the address again from your monitor.'),
  ]
}

/** Reports uninstalls that Slack reported but hasn't confirmed. */
async function examineUninstalls({ work }: Pick<Store, 'work'>): Promise<DoctorFinding[]> {
  const open = await work.listOpen('', [UNCONFIRMED_UNINSTALL])
  return open.map(({ key = '' }) => {
    const [event = '', id = ''] = key.split(' ')
    return fault(
      'uninstall',
      `Slack reported that the app was removed from ${id} (${event}), but hasn’t confirmed it. Its data is kept, and Signalman asks Slack again every hour. The log has Slack’s answer.`,
      `If the app is gone, run signalman erase-workspace ${id} --yes. If it isn’t, install it again.`,
    )
  })
}

/** Slack and the app reject requests whose timestamp is off by five minutes, so warn long before that. */
const MAX_SKEW_SECONDS = 60

async function examineClock({ slack }: Config, now: () => Date): Promise<DoctorFinding> {
  const address = slack.apiUrl ?? SLACK_API_URL
  try {
    const response = await fetchOnce(`${address}api.test`, {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const body: unknown = await response.json().catch(() => undefined)
    if (typeof body !== 'object' || body === null || !('ok' in body))
      return notSlack('slack', response.status, new URL(address).origin)
    const slackMs = Date.parse(response.headers.get('date') ?? '')
    if (Number.isNaN(slackMs)) return skipped('clock', 'Slack’s response has no date.')
    return clockFinding(Math.round((now().getTime() - slackMs) / 1000), 'signingSecret' in slack.receive)
  } catch (error) {
    return noAnswer('slack', error, new URL(address).origin)
  }
}

/** Only HTTP requests have a signed timestamp, so over sockets, a wrong clock doesn't break requests. */
function clockFinding(seconds: number, isSigned: boolean): DoctorFinding {
  if (Math.abs(seconds) <= MAX_SKEW_SECONDS) return ok('clock', 'It matches Slack’s.')
  const offset = `It is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} Slack’s`
  const fix = 'Turn on time synchronization: timedatectl set-ntp true, or chrony.'
  return isSigned
    ? fault('clock', `${offset}. At 300 s or more, every request is refused.`, fix)
    : advice('clock', `${offset}. Times in messages and in the audit log are wrong.`, fix)
}
