import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sendFiles } from '../../../src/bot/posts/send-files.ts'
import { requestOrder } from '../../features/cert-orders/order-helpers.ts'
import { startWorld, WORKSPACE, type World, type WorldOptions } from '../../world.ts'

it.each([
  { accepted: 0, sentence: 'Slack didn’t confirm the files: Indicators.' },
  { accepted: 2, sentence: 'Slack confirmed only a and b: Indicators.' },
])(
  'corrects the message above the files if Slack accepts $accepted of three',
  async ({ accepted, sentence }) => {
    let remaining = accepted
    const edits: string[] = []
    const context = {
      userId: 'U0MEMBER01',
      once: (_: string, read: () => Promise<unknown>) => read(),
      slack: async () => ({
        postDirect: async (channelId: string) => ({ channelId, ts: '1.0' }),
        edit: async (_: object, { text }: { text: string }) => void edits.push(text),
        async upload() {
          remaining -= 1
          if (remaining < 0) throw new Error('internal_error')
        },
      }),
      // Cast: only these methods are used.
    } as unknown as Parameters<typeof sendFiles>[0]
    const files = ['a', 'b', 'c'].map((name) => ({
      name,
      title: name,
      body: Buffer.from(name),
      bytes: name.length,
    }))
    await expect(sendFiles(context, 'Indicators.', files)).rejects.toThrow('internal_error')
    expect(edits).toEqual([sentence])
  },
)

const FILES = [
  {
    line: '/hc audit --export',
    sentence: ' of the audit log, oldest first',
    reply: 'sent you a DM with the file',
  },
  {
    line: '/cert-order file 1',
    sentence: 'Full contents of order 1.',
    reply: 'with the full contents of order 1',
  },
]

describe('a file that Slack confirms', () => {
  const readNewTexts = shareFiles()

  it.each(FILES)('is announced as sent only after that: $line', async ({ line, sentence, reply }) => {
    const { answer, texts } = await readNewTexts(line, reply)
    expect(answer).toContain(reply)
    expect(texts).toContain(sentence)
    expect(texts).not.toMatch(/Sending|didn’t confirm/)
  })
})

describe('a file that Slack doesn’t take', () => {
  const readNewTexts = shareFiles({ playground: { missingScopes: ['files:write'] } })

  it.each(FILES)('is never announced as sent: $line', async ({ line, sentence, reply }) => {
    const { answer, texts } = await readNewTexts(line, 'lacks the scope')
    expect(answer).not.toContain(reply)
    expect(texts).toContain('Slack didn’t confirm the file: ')
    expect(texts).toContain(sentence)
    expect(texts).not.toContain('Sending')
  })
})

/**
 * Starts one world for all files. Returns a function that types a line, and returns the answer and the new direct messages, as one
 * text.
 */
function shareFiles(options?: WorldOptions) {
  let world: World | undefined
  beforeAll(async () => {
    world = await startFiles(options)
  })
  afterAll(() => world?.[Symbol.asyncDispose]())
  return async (line: string, until: string) => {
    if (!world) throw new Error('The shared world isn’t started yet.')
    const earlier = await readDirectTexts(world)
    const [command = '', text = ''] = line.split(/ (.*)/)
    const { text: answer } = await world.slack.admin.command(command, text, { until })
    const texts = await readDirectTexts(world)
    expect(texts.slice(0, earlier.length)).toEqual(earlier)
    return { answer, texts: texts.slice(earlier.length).join('\n') }
  }
}

it('continues in the same message if Slack’s reply to it was lost', async () => {
  // Nothing else posts in this world.
  await using world = await startWorld()
  await world.slack.admin.command('/hc', 'grant @member operator', { until: 'Saved' })
  await world.slack.faults({ method: 'chat.postMessage', kind: 'drop-reply', times: 1 })
  await world.slack.admin.command('/hc', 'audit --export', { until: 'sent you a DM with the file' })
  await world.slack.admin.until('the file', ({ messages }) => JSON.stringify(messages).includes('"files":[{'))
  await expect.poll(async () => (await readDirectTexts(world)).join('\n')).not.toContain('Sending')
  const texts = await readDirectTexts(world)
  expect(texts.filter((text) => text.includes(' of the audit log, oldest first'))).toHaveLength(1)
  const rows = { workspaceId: WORKSPACE, verb: '/hc audit', limit: 9 }
  expect(await world.app.store.audit.search(rows)).toHaveLength(1)
})

/** A world with something to send in every file. */
async function startFiles(options: WorldOptions = {}): Promise<World> {
  const world = await startWorld({ checks: [{ name: 'web' }], ...options })
  await requestOrder(world.slack.member)
  await world.slack.member.command('/hc', 'watch web', { until: 'now watches' })
  return world
}

const readDirectTexts = async ({ slack }: World): Promise<string[]> =>
  (await slack.admin.messages('dm')).map(({ text }) => text)
