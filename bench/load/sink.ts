import { createServer } from 'node:http'
import { listening } from '../parts/listening.ts'

/** A whole command is over within this, or the run ends. */
const REPLY_LIMIT_MS = 20_000

/** What the Web API says to every method the app calls beside a command: here is a member of this workspace. */
const SLACK_ANSWER = JSON.stringify({
  ok: true,
  team_id: 'T1000',
  user: {
    id: 'U2147483697',
    name: 'somebody',
    real_name: 'Somebody',
    profile: { email: 'somebody@example.com' },
  },
})

/** Slack's other end: answers are posted to its response_urls, and its Web API is asked who people are. */
export interface Sink {
  readonly url: string
  addressOf(id: number): string
  /** Resolves once the answer to that request has wholly arrived. */
  reply(id: number): Promise<void>
  /** The body of the latest answer. */
  latest(): string
}

export async function startSink(): Promise<Sink> {
  const waiting = new Map<string, () => void>()
  let latest: Buffer[] = []

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const path = request.url ?? ''
      if (path.startsWith('/api/')) {
        response.writeHead(200, { 'content-type': 'application/json' }).end(SLACK_ANSWER)
        return
      }
      latest = chunks
      response.writeHead(200, { 'content-type': 'text/plain', 'content-length': 2 }).end('ok')
      waiting.get(path)?.()
      waiting.delete(path)
    })
  })
  server.keepAliveTimeout = 60_000
  const url = await listening(server)
  const pathOf = (id: number): string => `/commands/T1000/${id}/bench`

  return {
    url,
    addressOf: (id) => `${url}${pathOf(id)}`,
    reply(id) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const timer = setTimeout(() => reject(new Error(`no answer to command ${id} came`)), REPLY_LIMIT_MS)
      waiting.set(pathOf(id), () => {
        clearTimeout(timer)
        resolve()
      })
      return promise
    },
    latest: () => Buffer.concat(latest).toString(),
  }
}
