import type { Readable } from 'node:stream'
import type { webApi } from '@slack/bolt'
import { Agent, request } from 'undici'
import { UserError } from '../../errors.ts'

/** A file to hand over to Slack; `bytes` is its whole length, told before anything is sent. */
export interface Upload {
  name: string
  title: string
  bytes: number
  body: Buffer | Readable
  /** What a screen reader says of a picture. */
  altText?: string
}

export interface SlackFiles {
  /** Puts a file into a channel, or a thread of it. Needs the scope `files:write`. */
  upload(at: { channelId: string; threadTs?: string | undefined }, file: Upload): Promise<void>
  /**
   * A file that a person has given the app, at most `maxBytes` of it. Needs the scope `files:read`. Throws UserError
   * when it is larger, gone, or not kept at Slack.
   */
  download(fileId: string, maxBytes: number): Promise<{ name: string; bytes: Buffer }>
}

const TIMEOUT_MS = 60_000

/** Files go to and come from Slack's own hosts alone (or the one of `apiUrl`): the bot token is sent nowhere else. */
export function createSlackFiles(
  client: webApi.WebClient,
  token: string,
  apiUrl: string | undefined,
): SlackFiles {
  const ownOrigin = apiUrl ? new URL(apiUrl).origin : undefined

  function addressOf(address: string | undefined): string {
    const url = URL.parse(address ?? '')
    const isSlacks =
      url?.protocol === 'https:' && (url.host === 'slack.com' || url.host.endsWith('.slack.com'))
    if (url && (isSlacks || url.origin === ownOrigin)) return url.href
    throw new Error('Slack named an address for a file that is not one of its own.')
  }

  return {
    async upload(
      { channelId: channel_id, threadTs },
      { name: filename, title, bytes: length, body, altText },
    ) {
      // The library's types call it alt_text; Slack's reference of the method, and Slack, say alt_txt.
      const alt = altText ? { alt_txt: altText } : {}
      const { upload_url, file_id } = await client.files.getUploadURLExternal({ filename, length, ...alt })
      const headers = { 'content-type': 'application/octet-stream', 'content-length': String(length) }
      const status = await withAgent(async (dispatcher) => {
        const method = 'POST' as const
        const answer = await request(addressOf(upload_url), { method, dispatcher, headers, body })
        await answer.body.dump({ limit: 64 * 1024 })
        return answer.statusCode
      })
      if (status !== 200 || !file_id)
        throw new Error(`Slack refused the bytes of a file with status ${status}.`)
      const files: [{ id: string; title: string }] = [{ id: file_id, title }]
      const place = threadTs ? { channel_id, thread_ts: threadTs } : { channel_id }
      await client.files.completeUploadExternal({ files, ...place })
    },

    async download(fileId, maxBytes) {
      const { file } = await client.files.info({ file: fileId }).catch(gone)
      const name = file?.name ?? fileId
      if (file?.is_external || !file?.url_private)
        throw new UserError('This file is not kept at Slack itself. Upload it from your computer.')
      if ((file.size ?? 0) > maxBytes) throw tooLarge(maxBytes)
      const address = addressOf(file.url_private_download ?? file.url_private)
      const bytes = await withAgent(async (dispatcher) => {
        const headers = { authorization: `Bearer ${token}`, 'accept-encoding': 'identity' }
        const { statusCode, body } = await request(address, { dispatcher, headers })
        // Without the scope Slack leads to its sign-in page; undici does not follow.
        if (statusCode !== 200) {
          await body.dump({ limit: 64 * 1024 })
          throw new UserError('Slack did not hand the file over. The app may lack the scope files:read.')
        }
        return readAtMost(body, maxBytes)
      })
      return { name, bytes }
    },
  }
}

function gone(error: unknown): never {
  const code = error instanceof Error ? error.message : ''
  if (/file_not_found|file_deleted/.test(code))
    throw new UserError('This file is no longer there. Upload it again.')
  throw error
}

const tooLarge = (maxBytes: number): UserError =>
  new UserError(`This file is too large: at most ${Math.floor(maxBytes / (1024 * 1024))} MB are taken.`)

async function readAtMost(body: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    // A body of undici gives Buffers.
    const bytes = chunk as Buffer
    size += bytes.length
    if (size > maxBytes) throw tooLarge(maxBytes)
    chunks.push(bytes)
  }
  return Buffer.concat(chunks)
}

/** Files are rare: connections for them are not kept. */
async function withAgent<T>(work: (agent: Agent) => Promise<T>): Promise<T> {
  const agent = new Agent({ connections: 1, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS })
  try {
    return await work(agent)
  } finally {
    await agent.destroy()
  }
}
