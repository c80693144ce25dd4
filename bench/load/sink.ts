import { createServer, type ServerResponse } from 'node:http'
import { listen } from '../parts/listen.ts'
import { listWorkspaces, workspaceOfChannel } from '../parts/slack.ts'

const REPLY_TIMEOUT_MS = 20_000

/** The maximum number of workspaces of any benchmark. */
const WORKSPACES = listWorkspaces(21)

/**
 * The response to every Web API call. It has the fields of all methods that the app calls to handle a command: a user, a channel,
 * and a posted message.
 */
const SLACK_ANSWER = JSON.stringify({
  ok: true,
  team_id: WORKSPACES[0],
  user: {
    id: 'U2147483697',
    // Signalman refuses people who aren't in the workspace.
    teams: WORKSPACES,
    name: 'somebody',
    real_name: 'Somebody',
    profile: { email: 'somebody@example.com' },
  },
  channel: { id: 'D1' },
  ts: '1700000000.000100',
})

/** A fake Slack, which collects answers at response_urls and responds to Web API calls. */
export interface Sink {
  readonly url: string
  createResponseUrl(id: number): string
  /** Resolves once the complete answer to that request has arrived. */
  waitForReply(id: number): Promise<void>
  /** The body of the latest answer. */
  latest(): string
  /** When the first message of each workspace arrived in its channel. */
  readonly firstPosts: ReadonlyMap<string, number>
  /** How many messages were edited. */
  countEdits(): number
}

export async function startSink(): Promise<Sink> {
  const pendingReplies = new Map<string, () => void>()
  let latest: Buffer[] = []
  const firstPosts = new Map<string, number>()
  let edits = 0

  function recordPost(form: URLSearchParams): void {
    const workspace = workspaceOfChannel(form.get('channel') ?? '')
    if (!firstPosts.has(workspace)) firstPosts.set(workspace, Date.now())
  }

  const respond = (response: ServerResponse, type: string, body: string): void =>
    void response
      .writeHead(200, { 'content-type': type, 'content-length': Buffer.byteLength(body) })
      .end(body)

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const path = request.url ?? ''
      if (path === '/api/chat.update') edits += 1
      if (path === '/api/chat.postMessage') recordPost(new URLSearchParams(Buffer.concat(chunks).toString()))
      if (path.startsWith('/api/')) {
        respond(response, 'application/json', SLACK_ANSWER)
        return
      }
      latest = chunks
      respond(response, 'text/plain', 'ok')
      pendingReplies.get(path)?.()
      pendingReplies.delete(path)
    })
  })
  server.keepAliveTimeout = 60_000
  const url = await listen(server)
  const responsePath = (id: number): string => `/commands/T1000/${id}/bench`

  return {
    url,
    createResponseUrl: (id) => `${url}${responsePath(id)}`,
    waitForReply(id) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const timer = setTimeout(() => reject(new Error(`request ${id} got no answer`)), REPLY_TIMEOUT_MS)
      pendingReplies.set(responsePath(id), () => {
        clearTimeout(timer)
        resolve()
      })
      return promise
    },
    latest: () => Buffer.concat(latest).toString(),
    firstPosts,
    countEdits: () => edits,
  }
}
