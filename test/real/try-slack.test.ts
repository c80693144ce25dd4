import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { startPlayground } from '@signalman/playground'
import { createDriver, type Driver } from '@signalman/playground/driver'
import { expect, it } from 'vitest'
import { listen } from '../../bench/parts/listen.ts'
import { makeFolder } from '../databases/databases.ts'
import { writeManifest } from '../manifest.ts'
import { LONG_SLACK_TIMEOUTS } from '../relaxed-limits.ts'
import type { Fields, ShownView } from '../views/shown-views.ts'
import { runChecks, writeReport } from './findings.ts'
import { NOT_TRIED, slackChecks } from './slack-checks.ts'
import { connectSlack, slackWords } from './slack-connection.ts'
import { describeResult, type TryOptions, trySlack } from './try-slack.ts'

const CHANNEL = 'C0GENERAL1'
const blocks = (text: string) => [{ type: 'section', text: { type: 'mrkdwn', text } }]
const message = (text: string, postedTo?: string): ShownView => ({
  ...{ cause: '/hc', kind: 'message', payload: { text, blocks: blocks(text) } },
  ...(postedTo && { postedTo }),
})
const view = (type: string, more = {}): ShownView => ({
  ...{ cause: '/hc', kind: 'view', payload: { type, blocks: blocks('A view'), ...more } },
})
const title = { type: 'plain_text', text: 'A window' }
const VIEWS = [message('A post', CHANNEL), message('An answer'), view('modal', { title }), view('home')]

async function startSlack() {
  await using started = new AsyncDisposableStack()
  const manifest = started.use(writeManifest(true))
  const options = { signingSecret: 'try', manifestPath: manifest.path, limits: LONG_SLACK_TIMEOUTS }
  const playground = started.use(await startPlayground(options))
  const { botToken, appToken, apiUrl } = playground
  const driver = createDriver(playground.url)
  await driver.member.say('Hello')
  const access = { botToken, appToken, apiUrl, channel: CHANNEL, isPaced: false, isAnyChannel: true }
  const run = (options: Partial<TryOptions> = {}) =>
    trySlack({ ...access, views: Promise.resolve(VIEWS), tell: () => {}, group: 'S0ONCALL01', ...options })
  const resources = started.move()
  return { access, driver, run, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

/** Presses both buttons, and closes the window between them. Then lets the triggers end. */
async function pressBoth({ member, clock }: Driver): Promise<void> {
  async function press(label: string): Promise<void> {
    await member.see(label)
    const shown = (await member.messages()).findLast((each) => JSON.stringify(each.blocks).includes(label))
    if (shown) await member.click(shown, label, { until: () => true })
  }
  await press('Open a window')
  await member.see('You can close this one')
  await member.close()
  await press('Press me')
  await clock({ advanceMs: LONG_SLACK_TIMEOUTS.triggerLifeMs + 1 })
}

it('shows everything, finds everything as expected, and deletes what it posted', async () => {
  await using slack = await startSlack()
  await slack.driver.faults({
    method: 'chat.postMessage',
    kind: 'status',
    status: 429,
    retryAfter: 1,
    times: 1,
  })
  const [{ shown, findings, left }] = await Promise.all([slack.run(), pressBoth(slack.driver)])
  expect(shown).toEqual({ accepted: 4, notTried: 0, refused: [] })
  expect(findings.filter(({ result }) => result === 'different')).toEqual([])
  expect(findings.filter(({ result }) => result === 'as expected').length).toBeGreaterThan(20)
  // The playground doesn't delete files.
  expect(left).toBe(2)
  const texts = (await slack.driver.member.messages()).filter(({ ephemeral }) => !ephemeral)
  expect(texts.map(({ text }) => text)).toEqual(['Hello', ''])
})

it('reports what Slack refuses or answers differently, and what nobody pressed, without secrets', async () => {
  await using slack = await startSlack()
  await slack.driver.faults({ method: 'users.info', kind: 'error', error: 'user_not_visible' })
  const views = Promise.resolve([...VIEWS, message('', CHANNEL)])
  const { shown, findings, left, secrets } = await slack.run({ views, pressTimeoutMs: 1 })
  expect(shown).toMatchObject({ accepted: 2, notTried: 2, refused: [{ cause: '/hc', way: 'post' }] })
  const lines = describeResult(shown, findings, left)
  expect(lines.join('\n')).toMatch(/refused: \/hc \(post\): invalid_blocks .*text/)
  expect(lines).toContain(
    'different: user_not_found for an unknown person (slack-errors.ts): user_not_visible',
  )
  expect(lines).toContain(
    'couldn’t be tried: a trigger opens one window (windows.ts): nobody pressed the button',
  )
  using folder = makeFolder()
  const file = join(folder.path, 'report.json')
  writeReport(file, { shown, findings, secrets }, secrets)
  const report = readFileSync(file, 'utf8')
  expect(secrets.filter((secret) => secret && report.includes(secret))).toEqual([])
  expect(report).toContain('user_not_visible')
})

it('refuses a public channel', async () => {
  await using slack = await startSlack()
  await expect(slack.run({ isAnyChannel: false })).rejects.toThrow('private')
})

/** A Slack that answers one method in its own way: nothing if that is undefined, and a page if it’s text. */
async function startOtherSlack(apiUrl: string, method: string, change: (answer: Fields) => unknown) {
  const server = createServer(async (request, response) => {
    const name = String(request.url).replace('/api/', '')
    const { authorization = '', 'content-type': type = '' } = request.headers
    const headers = { authorization, 'content-type': type }
    const sent = { method: 'POST', headers, body: await text(request) }
    const answer = (await (await fetch(`${apiUrl}${name}`, sent)).json()) as Fields
    const changed = name === method ? await change(answer) : answer
    if (changed === undefined) return void request.socket.destroy()
    response.setHeader('content-type', typeof changed === 'string' ? 'text/html' : 'application/json')
    response.end(typeof changed === 'string' ? changed : JSON.stringify(changed))
  })
  const url = await listen(server)
  return {
    apiUrl: `${url}/api/`,
    [Symbol.dispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const refuse = (error: string) => () => ({ ok: false, error })
const LOST = 'a lost post is found in the channel by its metadata'
const UNKNOWN = 'user_not_found for an unknown person'

it.each([
  ['no answer', 'users.info', () => undefined, UNKNOWN, 'couldn’t be tried', 'unreachable'],
  [
    'no answer to a search',
    'conversations.history',
    () => undefined,
    LOST,
    'couldn’t be tried',
    'unreachable',
  ],
  ['a page of a proxy', 'users.info', () => '<p>Log in</p>', UNKNOWN, 'couldn’t be tried', 'unreachable'],
  ['a revoked token', 'users.info', refuse('token_revoked'), UNKNOWN, 'couldn’t be tried', 'token_revoked'],
  ['a missing scope', 'users.info', refuse('missing_scope'), UNKNOWN, 'couldn’t be tried', 'missing_scope'],
  ['another code', 'users.info', refuse('user_not_visible'), UNKNOWN, 'different', 'user_not_visible'],
  ['a yes', 'users.info', () => ({ ok: true }), UNKNOWN, 'different', 'Slack accepted it'],
  [
    'an empty channel',
    'conversations.history',
    () => ({ ok: true, messages: [] }),
    LOST,
    'different',
    'isn’t there',
  ],
  [
    'no metadata',
    'conversations.history',
    ({ messages, ...rest }: Fields) => ({
      ...rest,
      messages: (messages as Fields[]).map(({ metadata, ...message }) => message),
    }),
    LOST,
    'different',
    'undefined',
  ],
  [
    'another link',
    'chat.getPermalink',
    () => ({ ok: true, permalink: 'https://example.com/1' }),
    'a permalink has the channel and the ts',
    'different',
    'another form',
  ],
  [
    'one file of two',
    'files.completeUploadExternal',
    () => ({ ok: true, files: [{ id: 'F1' }] }),
    'two files can be sent at once',
    'different',
    '1 were',
  ],
] as const)('says of %s what it knows', async (_name, method, change, expected, result, came) => {
  await using playground = await startSlack()
  using other = await startOtherSlack(playground.access.apiUrl, method, change)
  await using slack = await connectSlack({ ...playground.access, apiUrl: other.apiUrl })
  const tried = Object.entries(slackChecks({ slack, press: undefined })).filter(([name]) =>
    name.startsWith(expected),
  )
  const [finding] = await runChecks(Object.fromEntries(tried), slackWords, NOT_TRIED)
  expect(finding).toMatchObject({ result, came: expect.stringContaining(came) })
})

it.each([
  ['gives none', { ok: false, error: 'internal_error' }, 'Slack answers with internal_error'],
  ['doesn’t take the app-level token', { ok: false, error: 'invalid_auth' }, 'SLACK_APP_TOKEN'],
  ['gives one where nothing answers', { ok: true, url: 'wss://127.0.0.1:59999/' }, 'Check whether it runs'],
])('ends if Slack is asked for a socket and %s, and says what to do', async (_name, answer, words) => {
  await using slack = await startSlack()
  using other = await startOtherSlack(slack.access.apiUrl, 'apps.connections.open', () => answer)
  const run = slack.run({ apiUrl: other.apiUrl, socketTimeoutMs: 500 })
  await expect(run).rejects.toThrow(words)
})

it('says which token Slack refuses, and what to do if the app isn’t in the channel', async () => {
  await using slack = await startSlack()
  await expect(slack.run({ botToken: 'xoxb-wrong' })).rejects.toThrow('into SLACK_BOT_TOKEN')
  await expect(slack.run({ channel: 'C0NOSUCH01' })).rejects.toThrow('/invite')
})

it('deletes what it posted when it is stopped while it posts, and posts nothing more', async () => {
  await using slack = await startSlack()
  const stopping = new AbortController()
  let posts = 0
  // Slack has posted the fourth one, and its answer comes late.
  using other = await startOtherSlack(slack.access.apiUrl, 'chat.postMessage', async (answer) => {
    posts += 1
    if (posts !== 4) return answer
    stopping.abort()
    await pause(300)
    return answer
  })
  const views = Promise.resolve(Array.from({ length: 200 }, (_, index) => message(`Post ${index}`, CHANNEL)))
  const run = slack.run({ views, stopping: stopping.signal, pressTimeoutMs: 1, apiUrl: other.apiUrl })
  await expect(run).rejects.toThrow('Stopped, and deleted what it posted.')
  const left = (await slack.driver.member.messages()).map(({ text }) => text)
  expect(left.filter((text) => text?.startsWith('Post') || text?.startsWith('Signalman'))).toEqual([])
  await pause(100)
  expect(posts).toBe(4)
})

it('posts nothing if it is stopped while it connects', async () => {
  await using slack = await startSlack()
  const run = slack.run({ stopping: AbortSignal.abort(), pressTimeoutMs: 1 })
  await expect(run).rejects.toThrow('Stopped')
  expect((await slack.driver.member.messages()).map(({ text }) => text)).toEqual(['Hello'])
})

it('refuses a channel that another organization reads', async () => {
  await using slack = await startSlack()
  await slack.driver.admin.shareChannel(CHANNEL, 'Partner')
  await expect(slack.run()).rejects.toThrow('Another organization reads this channel')
})
