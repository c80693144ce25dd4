import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CardModel } from '../../../src/features/watching/rules/describe-card.ts'

/** What a child sends: a message with its card's model, new or in place of another. */
export interface Sent {
  channelId: string
  ts?: string
  mark?: string
  model: CardModel
}

/** What a child says in the thread of a card, when it calls somebody. */
interface Call extends Pick<Sent, 'channelId' | 'mark'> {
  threadTs: string
  who: string
  /** How many outages it is about. */
  outages: number
}

async function bodyOf(request: IncomingMessage): Promise<Sent & Call> {
  let text = ''
  for await (const chunk of request) text += chunk
  return JSON.parse(text)
}

/** A Slack on this machine that counts posts, whoever sends them. */
export async function startCountingSlack() {
  const standing = new Map<string, Sent>()
  const posts: Sent[] = []
  const calls = new Map<string, Call>()
  const found = new Set<string>()
  /** Every card's last word. One of a killed process may stand beside it, and is not heard of again. */
  const words = (): Sent[] => [
    ...new Map([...standing.values()].map((one) => [one.model.cardId, one])).values(),
  ]
  const server = createServer(async (request, response) => {
    const sent = await bodyOf(request).catch(() => undefined)
    // Its sender was killed before it had sent all of it.
    if (!sent) return void response.destroy()
    if (request.url === '/call') {
      const ts = `${calls.size + 1}.1`
      calls.set(ts, sent)
      return void response.end(JSON.stringify({ ts }))
    }
    if (request.url === '/find') {
      const [ts] =
        [...standing, ...calls].find(
          ([, one]) => one.channelId === sent.channelId && one.mark === sent.mark,
        ) ?? []
      if (ts) found.add(ts)
      return void response.end(JSON.stringify({ ts }))
    }
    const ts = sent.ts ?? `${posts.length + 1}.0`
    const mark = sent.mark ?? standing.get(ts)?.mark
    if (!sent.ts) posts.push(sent)
    // Put last: the one that was written last.
    standing.delete(ts)
    standing.set(ts, { ...sent, ...(mark && { mark }) })
    response.end(JSON.stringify({ ts }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    posts,
    /** Of how many checks the cards of each channel tell: that of a storm names some, and says how many it is about. */
    told(): Map<string, number> {
      const counts = new Map<string, number>()
      for (const { channelId, model } of words())
        counts.set(channelId, (counts.get(channelId) ?? 0) + toldBy(model))
      return counts
    },
    /** Posts beside the first one of each card. */
    doubled: (): number => posts.length - new Set(posts.map(({ model }) => model.cardId)).size,
    /** About how many outages each person was called in each channel, by `channel who`. */
    called(): Map<string, number> {
      const counts = new Map<string, number>()
      for (const { channelId, who, outages } of calls.values())
        counts.set(`${channelId} ${who}`, (counts.get(`${channelId} ${who}`) ?? 0) + outages)
      return counts
    },
    calls: (): number => calls.size,
    /** Calls whose message stands there twice. */
    calledTwice(): number {
      const marks = [...calls.values()].map(({ mark }) => mark)
      return marks.length - new Set(marks).size
    },
    /** Messages of which nobody knew, until they were looked for. */
    found: (): number => found.size,
    words,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function toldBy(model: CardModel): number {
  if ('total' in model) return model.total
  return 'check' in model ? 1 : 0
}

export type CountingSlack = Awaited<ReturnType<typeof startCountingSlack>>
