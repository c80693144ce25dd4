import { createServer, type ServerResponse } from 'node:http'
import { listen } from '../parts/listen.ts'
import { channelOf, listWorkspaces, MAX_CHANNELS, workspaceOfChannel } from '../parts/slack.ts'
import { createSlackLimits } from './slack-limits.ts'

const REPLY_TIMEOUT_MS = 20_000

/** The maximum number of workspaces of any benchmark. */
const WORKSPACES = listWorkspaces(21)

/** The response to most Web API calls. It has the fields of all methods that the app calls to handle a command: a user and a posted message. */
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

const RATE_LIMITED = JSON.stringify({ ok: false, error: 'ratelimited' })

/** A channel that only this organization reads. */
const describeChannel = (id: string) => ({
  ...{ id, name: id.toLowerCase(), is_channel: true, is_private: false, is_member: true, is_archived: false },
  ...{ is_ext_shared: false, is_pending_ext_shared: false },
})

/** The channels that the app is in. Its token is the same for all workspaces, so only the first one's can be listed. */
const CHANNELS = JSON.stringify({
  ok: true,
  channels: Array.from({ length: MAX_CHANNELS }, (_, nth) =>
    describeChannel(channelOf(WORKSPACES[0] ?? '', nth)),
  ),
})

/** A fake Slack, which collects answers at response_urls and responds to Web API calls. */
export interface Sink {
  readonly url: string
  createResponseUrl(id: number): string
  /** Resolves once the complete answer to that request has arrived. */
  waitForReply(id: number): Promise<void>
  /** The body of the latest answer. */
  latest(): string
  /** When the first message of each channel arrived. */
  readonly firstPosts: ReadonlyMap<string, number>
  /** How many messages were edited. */
  countEdits(): number
}

export async function startSink(): Promise<Sink> {
  const pendingReplies = new Map<string, () => void>()
  let latest: Buffer[] = []
  const firstPosts = new Map<string, number>()
  let edits = 0

  const limits = createSlackLimits()

  function answerCall(method: string, form: URLSearchParams): string {
    const channel = form.get('channel') ?? ''
    if (method === 'chat.update') edits += 1
    if (method === 'chat.postMessage' && !firstPosts.has(channel)) firstPosts.set(channel, Date.now())
    if (method === 'users.conversations') return CHANNELS
    if (method === 'chat.getPermalink') {
      const ts = form.get('message_ts') ?? ''
      const permalink = `https://example.slack.com/archives/${channel}/p${ts.replace('.', '')}`
      return JSON.stringify({ ok: true, channel, permalink })
    }
    if (method === 'conversations.info')
      return JSON.stringify({ ok: true, channel: describeChannel(channel) })
    return SLACK_ANSWER
  }

  function respond(response: ServerResponse, status: number, headers: object, body: string): void {
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const path = request.url ?? ''
      if (path.startsWith('/api/')) {
        const method = path.slice('/api/'.length)
        const form = new URLSearchParams(Buffer.concat(chunks).toString())
        const channel = form.get('channel') ?? ''
        const waitSeconds = limits.take(method, { channel, workspace: workspaceOfChannel(channel) })
        const json = { 'content-type': 'application/json' }
        if (waitSeconds > 0) respond(response, 429, { ...json, 'retry-after': waitSeconds }, RATE_LIMITED)
        else respond(response, 200, json, answerCall(method, form))
        return
      }
      latest = chunks
      respond(response, 200, { 'content-type': 'text/plain' }, 'ok')
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
