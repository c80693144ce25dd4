import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CardModel } from '../../../src/features/watching/rules/describe-card.ts'

/** A message that a child process posts or edits, with its card's model. */
export interface SentCard {
  channelId: string
  ts?: string
  postId?: string
  model: CardModel
}

/** A page that a child process posts in the thread of a card. */
interface SentPage extends Pick<SentCard, 'channelId' | 'postId'> {
  threadTs: string
  who: string
  /** How many outages it pages about. */
  outages: number
}

async function readBody(request: IncomingMessage): Promise<SentCard & SentPage> {
  let text = ''
  for await (const chunk of request) text += chunk
  return JSON.parse(text)
}

/** Starts a fake Slack that counts the posts and pages of all processes. */
export async function startCountingSlack() {
  const messages = new Map<string, SentCard>()
  const posts: SentCard[] = []
  const pages = new Map<string, SentPage>()
  const found = new Set<string>()
  /** The latest message of each card. If a killed process posted a card twice, the earlier message is never edited again. */
  const latestMessages = (): SentCard[] => [
    ...new Map([...messages.values()].map((message) => [message.model.cardId, message])).values(),
  ]
  const server = createServer(async (request, response) => {
    const sent = await readBody(request).catch(() => undefined)
    // The sender was killed while it was sending.
    if (!sent) return void response.destroy()
    if (request.url === '/call') {
      const ts = `${pages.size + 1}.1`
      pages.set(ts, sent)
      return void response.end(JSON.stringify({ ts }))
    }
    if (request.url === '/find') {
      const [ts] =
        [...messages, ...pages].find(
          ([, message]) => message.channelId === sent.channelId && message.postId === sent.postId,
        ) ?? []
      if (ts) found.add(ts)
      return void response.end(JSON.stringify({ ts }))
    }
    const ts = sent.ts ?? `${posts.length + 1}.0`
    const postId = sent.postId ?? messages.get(ts)?.postId
    if (!sent.ts) posts.push(sent)
    // The latest message comes last.
    messages.delete(ts)
    messages.set(ts, { ...sent, ...(postId && { postId }) })
    response.end(JSON.stringify({ ts }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A listening server has an address with a port.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    posts,
    /**
     * The number of checks on the cards of each channel. A multi-check card lists only some of its checks and says how many there are.
     * A check that moved to a newer card counts only there.
     */
    countChecks(): Map<string, number> {
      const counts = new Map<string, number>()
      for (const { channelId, model } of latestMessages())
        counts.set(channelId, (counts.get(channelId) ?? 0) + countListedChecks(model))
      return counts
    },
    /** How many posts repeated a card that was already posted. */
    countRepeatedPosts: (): number => posts.length - new Set(posts.map(({ model }) => model.cardId)).size,
    /** The number of outages that each person was paged about, by `channel who`. */
    countPagedOutages(): Map<string, number> {
      const counts = new Map<string, number>()
      for (const { channelId, who, outages } of pages.values())
        counts.set(`${channelId} ${who}`, (counts.get(`${channelId} ${who}`) ?? 0) + outages)
      return counts
    },
    countPages: (): number => pages.size,
    /** How many pages were posted twice. */
    countRepeatedPages(): number {
      const postIds = [...pages.values()].map(({ postId }) => postId)
      return postIds.length - new Set(postIds).size
    },
    /** How many messages were found again after their reply was lost. */
    countFoundMessages: (): number => found.size,
    latestMessages,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function countListedChecks(model: CardModel): number {
  if (model.kind === 'multi-check') return model.checkCount - model.movedCount
  return 'check' in model ? 1 : 0
}

export type CountingSlack = Awaited<ReturnType<typeof startCountingSlack>>
