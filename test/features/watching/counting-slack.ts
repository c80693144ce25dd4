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

async function readBody(request: IncomingMessage): Promise<SentCard> {
  let text = ''
  for await (const chunk of request) text += chunk
  return JSON.parse(text)
}

/** Starts a fake Slack that counts the posts and pages of all processes. */
export async function startCountingSlack() {
  const messages = new Map<string, SentCard>()
  const posts: SentCard[] = []
  const found = new Set<string>()
  /** The latest message of each card. If a killed process posted a card twice, the earlier message is never edited again. */
  const latestMessages = (): SentCard[] => [
    ...new Map([...messages.values()].map((message) => [message.model.cardId, message])).values(),
  ]
  const listPages = (): SentCard[] => posts.filter(({ model }) => model.kind === 'page')
  const server = createServer(async (request, response) => {
    const sent = await readBody(request).catch(() => undefined)
    // The sender was killed while it was sending.
    if (!sent) return void response.destroy()
    if (request.url === '/find') {
      const [ts] =
        [...messages].find(
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
     * The number of checks on the cards of each channel. A card lists only some of its checks and says how many there are.
     */
    countChecks(): Map<string, number> {
      const counts = new Map<string, number>()
      for (const { channelId, model } of latestMessages())
        counts.set(channelId, (counts.get(channelId) ?? 0) + countListedChecks(model))
      return counts
    },
    /** How many posts repeated a card that was already posted. */
    countRepeatedPosts: (): number => posts.length - new Set(posts.map(({ model }) => model.cardId)).size,
    /** How many incidents each person was paged about, by `channel who`. */
    countPagedIncidents(): Map<string, number> {
      const counts = new Map<string, number>()
      for (const { channelId, model } of listPages())
        for (const { id } of model.page?.mentions ?? [])
          counts.set(`${channelId} ${id}`, (counts.get(`${channelId} ${id}`) ?? 0) + model.total)
      return counts
    },
    countPages: (): number => listPages().length,
    /** How many pages were posted twice. */
    countRepeatedPages: (): number =>
      listPages().length - new Set(listPages().map(({ model }) => model.cardId)).size,
    /** How many messages were found again after their reply was lost. */
    countFoundMessages: (): number => found.size,
    latestMessages,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

const countListedChecks = ({ kind, total }: CardModel): number => (kind === 'card' ? total : 0)

export type CountingSlack = Awaited<ReturnType<typeof startCountingSlack>>
