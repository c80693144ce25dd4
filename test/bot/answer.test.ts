import { type Act, NotDelivered } from '@signalman/durable'
import { message } from '@signalman/slack'
import { expect, it } from 'vitest'
import { createOpenAnswer } from '../../src/bot/answer.ts'
import type { HandledRequest } from '../../src/bot/routes/command-context.ts'
import { createLog } from '../../src/log.ts'

/** Opens answers whose placeholders are due at once. `sent` lists what was sent, and where. */
function createAnswers({ isResponseUrlRefused = false } = {}) {
  const sent: string[] = []
  const slack = {
    postEphemeral: async (_: object, userId: string, { text }: { text: string }) =>
      void sent.push(`only to ${userId}: ${text}`),
    postDirect: async (userId: string, { text }: { text: string }) =>
      void sent.push(`DM to ${userId}: ${text}`),
    openView: () => Promise.reject(new Error('An API error occurred: expired_trigger_id')),
  }
  const openAnswer = createOpenAnswer({
    // Only the methods that this test needs.
    responder: {
      async respond({ responseUrl }: { responseUrl: string }) {
        sent.push(responseUrl)
        if (isResponseUrlRefused) throw new Error('used_url')
      },
    } as never,
    clients: { forWorkspace: async () => slack } as never,
    windowStates: { write: async () => '' },
    requestDeadlines: { modalDeadlineMs: 0, placeholderMs: 0 },
    log: createLog('silent'),
  })
  return { sent, openAnswer }
}

const request = (responseUrl: string, more: Partial<HandledRequest> = {}): HandledRequest => ({
  workspaceId: 'T1',
  channelId: 'C1',
  userId: 'U1',
  reference: 'R',
  surface: { kind: 'command', responseUrl, triggerId: '' },
  ...more,
})

it('says that Signalman is working, unless something else does', async () => {
  const { sent, openAnswer } = createAnswers()
  openAnswer(request('quiet'), { isQuiet: true })
  openAnswer(request('waiting'), {})
  await expect.poll(() => sent).toContain('waiting')
  expect(sent).toEqual(['waiting'])
})

it('posts the answer if the response_url is refused, but not that Signalman is working', async () => {
  const { sent, openAnswer } = createAnswers({ isResponseUrlRefused: true })
  const answer = openAnswer(request('refused'), {})
  await expect.poll(() => sent).toEqual(['refused'])
  await answer.put(message('Done.'))
  expect(sent).toEqual(['refused', 'refused', 'only to U1: Done.'])
})

it('says where the answer is if one was promised and then posted in the channel', async () => {
  const { sent, openAnswer } = createAnswers()
  const answer = openAnswer(request('waiting'), {})
  await expect.poll(() => sent).toEqual(['waiting'])
  await answer.put(undefined)
  expect(sent).toEqual(['waiting', 'waiting'])
  await openAnswer(request('quick'), { isQuiet: true }).put(undefined)
  expect(sent).not.toContain('quick')
})

it('isn’t delivered after an act, which must not be repeated, if Slack no longer opens its window', async () => {
  const { openAnswer } = createAnswers()
  const surface = { kind: 'command', responseUrl: 'here', triggerId: 'expired' } as const
  const answer = openAnswer(request('', { surface, act: act(false) }), { isQuiet: true })
  await expect(answer.put({ title: 'Edit', blocks: [] })).rejects.toThrow(NotDelivered)
})

it.each([
  { where: 'the channel', isResumed: false, text: 'only to U1: Done.' },
  // Whoever asked may no longer be there, and a reload removes such a message.
  { where: 'a DM if the act was resumed', isResumed: true, text: 'DM to U1: Done.' },
])('goes to $where without a response_url', async ({ isResumed, text }) => {
  const { sent, openAnswer } = createAnswers()
  const surface = { kind: 'none' } as const
  await openAnswer(request('', { surface, act: act(isResumed) }), {}).put(message('Done.'))
  expect(sent).toEqual([text])
})

/** Only what an answer reads. */
const act = (isResumed: boolean) => ({ isResumed }) as Act
