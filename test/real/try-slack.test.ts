import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startPlayground } from '@signalman/playground'
import { createDriver, type Driver } from '@signalman/playground/driver'
import { expect, it } from 'vitest'
import { makeFolder } from '../databases/databases.ts'
import { writeManifest } from '../manifest.ts'
import { LONG_SLACK_TIMEOUTS } from '../relaxed-limits.ts'
import type { ShownView } from '../views/shown-views.ts'
import { writeReport } from './findings.ts'
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
  return { driver, run, [Symbol.asyncDispose]: () => resources.disposeAsync() }
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

it.each([
  ['no answer', { kind: 'drop-reply' }, 'unreachable'],
  ['another token', { kind: 'error', error: 'token_revoked' }, 'token_revoked'],
] as const)('compares nothing of what got %s', async (_name, fault, came) => {
  await using slack = await startSlack()
  await slack.driver.faults({ method: 'users.info', ...fault } as never)
  const { findings } = await slack.run({ views: Promise.resolve([]), pressTimeoutMs: 1 })
  expect(findings.find(({ check }) => check.startsWith('user_not_found'))).toMatchObject({
    result: 'couldn’t be tried',
    came: expect.stringContaining(came),
  })
})

it('deletes what it posted when it is stopped while it posts', async () => {
  await using slack = await startSlack()
  const stopping = new AbortController()
  const views = Promise.resolve(Array.from({ length: 200 }, (_, index) => message(`Post ${index}`, CHANNEL)))
  const run = slack.run({ views, stopping: stopping.signal, pressTimeoutMs: 1 })
  const ended = expect(run).rejects.toThrow('Stopped, and deleted what it posted.')
  await slack.driver.member.see('Post 3')
  stopping.abort()
  await ended
  const left = (await slack.driver.member.messages()).map(({ text }) => text)
  expect(left.filter((text) => text?.startsWith('Post') || text?.startsWith('Signalman'))).toEqual([])
})

it('refuses a channel that another organization reads', async () => {
  await using slack = await startSlack()
  await slack.driver.admin.shareChannel(CHANNEL, 'Partner')
  await expect(slack.run()).rejects.toThrow('Another organization reads this channel')
})
