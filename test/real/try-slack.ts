import { examineSocketMode, examineToken } from '../../src/doctor/slack.ts'
import { rehearse } from '../views/rehearse.ts'
import { removeDuplicates, type ShownView } from '../views/shown-views.ts'
import {
  describeFindings,
  describeMissing,
  explainStart,
  type Finding,
  readArguments,
  readVariables,
  runChecks,
  say,
  writeReport,
} from './findings.ts'
import { NOT_TRIED, pressChecks, slackChecks } from './slack-checks.ts'
import {
  connectSlack,
  createWindow,
  type Press,
  respond,
  type Slack,
  type SlackAccess,
  slackCode,
  slackWords,
} from './slack-connection.ts'
import { type Shown, showAll } from './slack-views.ts'

const FILE = 'signalman-slack.json'
const USAGE = `Shows Slack everything that Signalman shows, and says what Slack refuses. Takes two minutes.

1. Create a private channel for this, write something in it, and add the app: /invite @Signalman
2. Set SLACK_BOT_TOKEN and SLACK_APP_TOKEN, or run this in the folder with their .env. Stop a Signalman that uses them.
3. npm run try:slack -- CHANNEL_ID        (Slack shows the ID at the end of the channel’s details)

It posts only in that channel, and one DM to whoever presses its button, and deletes what it posted. A hundred answers that only
that person sees vanish when they reload Slack.

  --group ID       also mentions this user group, such as S0123ABCD
  --any-channel    also runs in a public channel`

export interface TryOptions extends SlackAccess {
  views: Promise<readonly ShownView[]>
  group?: string | undefined
  isAnyChannel?: boolean | undefined
  pressTimeoutMs?: number
  /** Once aborted, what was posted is deleted, and the run ends. */
  stopping?: AbortSignal
  tell(line: string): void
}

const buttonMessage = (action_id: string, text: string, label: string) => ({
  text,
  blocks: [
    { type: 'section', text: { type: 'mrkdwn', text } },
    { type: 'actions', elements: [{ type: 'button', action_id, text: { type: 'plain_text', text: label } }] },
  ],
})

/** Shows all views, runs all checks, and deletes what was posted. `secrets` mustn’t be in the file. */
export async function trySlack(options: TryOptions) {
  await using slack = await connectSlack(options).catch((error: unknown) => throwExplained(error, options))
  if (options.stopping?.aborted) throw new Error('Stopped, before anything was posted.')
  const { promise: stopped, reject } = Promise.withResolvers<never>()
  options.stopping?.addEventListener('abort', async () => {
    const left = await slack.stop()
    reject(
      new Error(
        left > 0 ? `Stopped. ${left} messages or files are left.` : 'Stopped, and deleted what it posted.',
      ),
    )
  })
  return await Promise.race([stopped, tryConnected(slack, options)])
}

async function throwExplained(error: unknown, { botToken, appToken, apiUrl }: SlackAccess): Promise<never> {
  if (slackCode(error) === 'channel_not_found')
    throw new Error('Slack shows the app no channel with this ID. Invite the app there: /invite @Signalman')
  const examined = [examineToken(botToken, apiUrl, 'token'), examineSocketMode(appToken, apiUrl)]
  const found = Promise.all(examined).then((all) => all.flat())
  throw new Error(await explainStart(slackWords(error), found))
}

async function tryConnected(slack: Slack, options: TryOptions) {
  const { tell, pressTimeoutMs } = options
  const { channel } = await slack.client.conversations
    .info({ channel: slack.channel })
    .catch((error: unknown) => throwExplained(error, options))
  if (!channel?.is_private && !options.isAnyChannel)
    throw new Error('This channel isn’t private. Create a private one.')
  if (channel?.is_ext_shared || channel?.is_pending_ext_shared)
    throw new Error('Another organization reads this channel. Create one that only you read.')
  if (Number(slack.connections) > 1)
    tell('Another program uses this app-level token, and may get your press. Stop it.')
  const pressing = slack.press('try', pressTimeoutMs)
  await slack.post(buttonMessage('try', 'Signalman tries Slack here.', 'Open a window'))
  tell('In the channel, press “Open a window”. Leave the window open until it says that you can close it.')
  const [press, views] = await Promise.all([pressing, options.views])
  tell(`Showing ${views.length} messages, windows, and Home views…`)
  const shown = await showAll(slack, views, press)
  const findings = await runChecks(slackChecks({ slack, press, group: options.group }), slackWords, NOT_TRIED)
  const second = press && (await askForSecondPress(slack, press, options))
  findings.push(...(await runChecks(pressChecks(slack, press, second), slackWords, NOT_TRIED)))
  const left = await slack.removeAll()
  const { team_id, user_id, bot_id, url } = slack.self
  const secrets = [options.botToken, options.appToken, slack.channel, press?.userId, options.group]
  return { shown, findings, left, secrets: [...secrets, team_id, user_id, bot_id, url] }
}

/** Frees the window, and posts another button, in a message that only the person sees. */
async function askForSecondPress(slack: Slack, press: Press, { tell, pressTimeoutMs }: TryOptions) {
  const view = createWindow('Slack has seen every window. You can close this one.')
  await slack.client.views.update({ view_id: press.viewId, view }).catch(() => undefined)
  const pressing = slack.press('try-again', pressTimeoutMs)
  await respond(press, buttonMessage('try-again', 'One more press.', 'Press me'))
  tell('Close the window, and press “Press me” in the channel.')
  return pressing
}

export function describeResult(shown: Shown, findings: readonly Finding[], left: number): string[] {
  const { accepted, refused, notTried } = shown
  return [
    `Slack accepted ${accepted} messages, windows, and Home views, and refused ${refused.length}.`,
    ...(notTried > 0
      ? [`${notTried} couldn’t be tried, because no window was open, or nothing answered.`]
      : []),
    ...refused.map(({ cause, way, words }) => `refused: ${cause} (${way}): ${words}`),
    'What Signalman assumes about Slack:',
    ...describeFindings(findings),
    ...(left > 0 ? [`${left} messages or files couldn’t be deleted. Delete the channel.`] : []),
  ]
}

async function main(): Promise<void> {
  const flags = { group: { type: 'string' }, 'any-channel': { type: 'boolean' } } as const
  const { values, positionals } = readArguments({ options: flags, allowPositionals: true }, USAGE)
  const { SLACK_BOT_TOKEN: botToken, SLACK_APP_TOKEN: appToken, SLACK_API_URL: apiUrl } = readVariables()
  const [channel] = positionals
  if (!botToken || !appToken || !channel) {
    const needed = { SLACK_BOT_TOKEN: botToken, SLACK_APP_TOKEN: appToken, 'the channel’s ID': channel }
    say(describeMissing(needed, USAGE))
    process.exitCode = 2
    return
  }
  const views = rehearse('').then(({ shown }) => removeDuplicates(shown))
  const access = { botToken, appToken, channel, apiUrl }
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
  const options = {
    group: values.group,
    isAnyChannel: values['any-channel'],
    views,
    stopping: stopping.signal,
    tell: say,
  }
  const { shown, findings, left, secrets } = await trySlack({ ...access, ...options })
  for (const line of describeResult(shown, findings, left)) say(line)
  writeReport(FILE, { shown, findings, left }, secrets)
  say(`Wrote ${FILE}, without tokens and IDs. Look through it, and attach it to an issue.`)
  const isFine = shown.refused.length === 0 && findings.every(({ result }) => result !== 'different')
  process.exitCode = isFine ? 0 : 1
}

if (import.meta.main)
  await main().catch((error: unknown) => {
    say(
      error instanceof Error && error.cause === undefined && !('code' in error)
        ? error.message
        : `Slack couldn’t be tried: ${slackWords(error)}`,
    )
    // Also ends the rehearsal.
    process.exit(1)
  })
