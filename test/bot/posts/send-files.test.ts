import { expect, it } from 'vitest'
import { UserError } from '../../../packages/runtime/src/errors.ts'
import { sendFiles } from '../../../src/bot/posts/send-files.ts'
import { startWorld, WORKSPACE, type World } from '../../world.ts'

it.each([
  { accepted: 0, sentence: 'Slack didn’t confirm the files, which may be missing: Indicators.' },
  { accepted: 2, sentence: 'Slack confirmed only a and b: Indicators.' },
  { accepted: 3, sentence: 'Indicators.' },
])(
  'says above the files that they were sent only after Slack has confirmed them: $accepted of three',
  async ({ accepted, sentence }) => {
    let remaining = accepted
    const texts: string[] = []
    const context = {
      userId: 'U0MEMBER01',
      mayPost: async () => 'yes',
      once: (_: string, read: () => Promise<unknown>) => read(),
      step: (_: object, work: (send: (part: (attempt: object) => unknown) => unknown) => unknown) =>
        work((part) => part({ begunBy: 'me id' })),
      slack: async () => ({
        async postDirect(_: string, { text }: { text: string }) {
          texts.push(text)
          return { channelId: 'D1', ts: '1.0' }
        },
        edit: async (_: object, { text }: { text: string }) => void texts.push(text),
        uploadFile: async ({ name }: { name: string }) => `F-${name}`,
        async shareFile() {
          remaining -= 1
          if (remaining < 0) throw new UserError('internal_error')
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
    const sent = sendFiles(context, 'Indicators.', files)
    await (accepted === 3 ? sent : expect(sent).rejects.toThrow('internal_error'))
    expect(texts).toEqual(['Sending the files… Indicators.', sentence])
  },
)

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
  const rows = { workspaceId: WORKSPACE, text: '/hc audit', limit: 9 }
  expect(await world.app.store.audit.search(rows)).toHaveLength(1)
})

it.each(['files.getUploadURLExternal', 'files.completeUploadExternal'])(
  'sends a file once if Slack’s reply to it was lost: %s',
  async (method) => {
    await using world = await startWorld()
    await world.slack.faults({ method, kind: 'drop-reply', times: 1 })
    await world.slack.admin.command('/hc', 'audit --export', { until: 'sent you a DM with the file' })
    const files = (await world.slack.admin.messages('dm')).flatMap((message) => message.files ?? [])
    expect(files).toHaveLength(1)
  },
)

const readDirectTexts = async ({ slack }: World): Promise<string[]> =>
  (await slack.admin.messages('dm')).map(({ text }) => text)
