import { expect, it } from 'vitest'
import { createOpenAnswer } from '../../src/bot/answer.ts'
import type { HandledRequest } from '../../src/bot/routes/command-context.ts'
import { createLog } from '../../src/log.ts'

/** Opens answers whose placeholders are due at once. `sent` lists to which response_urls a message was sent. */
function createAnswers() {
  const sent: string[] = []
  const openAnswer = createOpenAnswer({
    // Only the methods that this test needs.
    responder: {
      respond: async ({ responseUrl }: { responseUrl: string }) => void sent.push(responseUrl),
    } as never,
    blockFallback: {
      send: (_: string, message: object, work: (message: object) => unknown) => work(message),
    } as never,
    clients: {} as never,
    windowStates: {} as never,
    requestDeadlines: { modalDeadlineMs: 0, placeholderMs: 0 },
    log: createLog('silent'),
  })
  return { sent, openAnswer }
}

const request = (responseUrl: string): HandledRequest => ({
  workspaceId: 'T1',
  channelId: 'C1',
  userId: 'U1',
  reference: 'R',
  surface: { kind: 'command', responseUrl, triggerId: '' },
})

it('says that Signalman is working, unless something else does', async () => {
  const { sent, openAnswer } = createAnswers()
  openAnswer(request('quiet'), { isQuiet: true })
  openAnswer(request('waiting'), {})
  await expect.poll(() => sent).toContain('waiting')
  expect(sent).toEqual(['waiting'])
})
