import { createDriver } from '@signalman/playground/driver'
import { describe, expect, it } from 'vitest'
import { LeaseLost } from '../../../packages/durable/src/work/steps.ts'
import type { Work } from '../../../packages/durable/src/work/work-row.ts'
import { createSlackClients } from '../../../packages/slack/src/client/clients.ts'
import { createSlackClient } from '../../../packages/slack/src/client/slack-client.ts'
import { openStore, type Store } from '../../../src/app/store.ts'
import { postOnce } from '../../../src/bot/posts/post-once.ts'
import { type Content, createPoster, fileContent } from '../../../src/bot/posts/poster.ts'
import { createLog } from '../../../src/log.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { eitherOf } from '../../long.ts'
import { startSlack } from '../../slack/playground.ts'

const WORK_KEY = { workspaceId: 'T0PLAYGRND', kind: 'k', key: 'k' }
const CHANNEL = 'C0GENERAL1'
/** A short deadline, which a suspended process misses. A message without a response counts as lost immediately. */
const TIMES = { sendWithinMs: 50, assumeLostAfterMs: 0 }
/** A deadline that is never reached, even on a busy machine. */
const NO_DEADLINE = { ...TIMES, sendWithinMs: 60_000 }
const waitPastDeadline = () => new Promise<void>((resolve) => setTimeout(resolve, 2 * TIMES.sendWithinMs))
const immediately = async (): Promise<void> => undefined

/** Creates a process that posts the message. All processes post the same one, with different pauses before they send it. */
function createPostingProcess(
  { store, playground }: { store: Store; playground: { apiUrl: string; botToken: string } },
  beforeSend: () => Promise<void>,
  { times = TIMES, content }: { times?: typeof TIMES; content: Content },
) {
  const findBotToken = async (): Promise<string> => {
    await beforeSend()
    return playground.botToken
  }
  const clients = createSlackClients(playground.apiUrl, findBotToken)
  const poster = createPoster(clients)
  const mayPost = async () => 'yes' as const
  const deps = { poster, steps: store.steps, mayPost, log: createLog('silent'), times }
  const target = { workspaceId: WORK_KEY.workspaceId, environment: 'production', channelId: CHANNEL } as const
  return (owner: string, work: Work) =>
    postOnce(
      deps,
      { work, owner, signal: new AbortController().signal },
      { target, key: 'subject', version: 1, record: async () => undefined },
      content,
    )
}

describe.each(eitherOf(SHARED_DATABASES))('a process on $name', ({ start: startDatabase }) => {
  it.each(['a message', 'a file'])(
    'that is suspended between recording %s and sending it sends nothing',
    async (kind) => {
      await using database = await startDatabase()
      await using store = await openStore(database)
      await using playground = await startSlack()
      const [reached, resume] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const slowly = async (): Promise<void> => {
        reached.resolve()
        await resume.promise
      }
      const { work } = await store.work.begin(WORK_KEY, 'first')
      const slack = createSlackClient(playground.botToken, playground.apiUrl)
      const file = { name: 'a.csv', title: 'a', bytes: 1, body: Buffer.from('a') }
      const content =
        kind === 'a file'
          ? fileContent(await slack.uploadFile(file), file)
          : { text: 'It is down.', blocks: [] }
      const posting = createPostingProcess({ store, playground }, slowly, { content })('first', work)
      const refused = expect(posting).rejects.toThrow(LeaseLost)
      await reached.promise
      await waitPastDeadline()
      // Another process takes over, doesn't find the message, and posts it.
      await store.work.release(work.id, 'first', { state: 'waiting', dueInMs: 0 })
      const [claimed] = await store.work.claimDue('second', [WORK_KEY.kind], 1)
      if (!claimed) throw new Error('The work could not be claimed.')
      expect(
        await createPostingProcess({ store, playground }, immediately, { content, times: NO_DEADLINE })(
          'second',
          claimed,
        ),
      ).toMatchObject({
        isFound: false,
      })
      resume.resolve()
      await refused
      const { messages } = await createDriver(playground.url).member.state()
      const posted = (messages[CHANNEL] ?? []).filter(
        ({ text, files }) => text === 'It is down.' || files?.length,
      )
      expect(posted).toHaveLength(1)
    },
  )
})
