import type { Readable } from 'node:stream'
import { type ObserveCall, observed, UserError } from '@signalman/runtime'
import { type Dispatcher, request } from 'undici'
import type { ObservedClient } from './observed-client.ts'
import { slackErrorCode } from './slack-errors.ts'

/** A file to upload to Slack. `bytes` is its total length, which Slack needs in advance. */
export interface Upload {
  name: string
  title: string
  bytes: number
  body: Buffer | Readable
  /** Alternative text for screen readers. */
  altText?: string
}

const MAX_DUMPED = { limit: 64 * 1024 }

/** Slack's codes for files that this workspace never accepts (https://docs.slack.dev/reference/methods/files.getUploadURLExternal). */
const REFUSED_FOR_GOOD =
  /blocked_file_type|file_uploads?_\w+|sharing_blocked|storage_limit_reached|malware|^restricted_action/

/** Throws UserError if a retry can't help. Rethrows any other error. */
function refuseForGood(error: unknown): never {
  const code = slackErrorCode(error)
  if (code === undefined || !REFUSED_FOR_GOOD.test(code)) throw error
  throw new UserError(
    `Slack doesn’t accept this file in this workspace (${code}). An admin of the workspace can change that in Slack.`,
  )
}

/**
 * Uploads and downloads files. Uses only Slack's own hosts (or that of `apiUrl`), so that the bot token is never sent anywhere
 * else.
 */
export function createSlackFiles(
  client: ObservedClient,
  token: string,
  apiUrl: string | undefined,
  observe: ObserveCall | undefined,
  dispatcher: Dispatcher,
) {
  const ownOrigin = apiUrl ? new URL(apiUrl).origin : undefined

  function checkFileUrl(address: string | undefined): string {
    const url = URL.parse(address ?? '')
    const isSlackHost =
      url?.protocol === 'https:' && (url.host === 'slack.com' || url.host.endsWith('.slack.com'))
    if (url && (isSlackHost || url.origin === ownOrigin)) return url.href
    throw new Error('Slack returned a file URL that isn’t on its own hosts.')
  }

  /** Reports a call under a name, because the URLs are secrets. Errors may contain a URL, so they're reported as `refused`. */
  const report = <T>(method: 'upload_url' | 'url_private', call: () => Promise<T>): Promise<T> =>
    observed(observe, { to: 'slack', method }, call, () => 'refused')

  /** Uploads the file and returns its ID. Nobody can see it until it's shared. Needs the scope `files:write`. */
  async function uploadFile({ name: filename, bytes: length, body, altText }: Upload): Promise<string> {
    // The library's types call it alt_text. Slack's reference, and Slack itself, call it alt_txt.
    const alt = altText ? { alt_txt: altText } : {}
    const { upload_url, file_id } = await client.files
      .getUploadURLExternal({ filename, length, ...alt })
      .catch(refuseForGood)
    const address = checkFileUrl(upload_url)
    const headers = { 'content-type': 'application/octet-stream', 'content-length': String(length) }
    await report('upload_url', async () => {
      const response = await request(address, { method: 'POST', dispatcher, headers, body })
      await response.body.dump(MAX_DUMPED)
      if (response.statusCode !== 200)
        throw new Error(`Slack refused the upload of a file with status ${response.statusCode}.`)
    })
    if (!file_id) throw new Error('Slack returned no file ID.')
    return file_id
  }

  /** Posts an uploaded file in a channel. */
  async function shareFile(
    { channelId: channel_id }: { channelId: string },
    file: { id: string; title: string },
    { beforeRequest }: { beforeRequest?: (() => void) | undefined } = {},
  ): Promise<void> {
    const shared = { files: [file], channel_id }
    await client.apiCall('files.completeUploadExternal', shared, beforeRequest).catch(refuseForGood)
  }

  return {
    uploadFile,
    shareFile,

    /**
     * Downloads a file that this person or the app itself uploaded. Needs the scope `files:read`. Throws UserError if someone else did, or
     * if it's larger than `maxBytes`, deleted, or not stored in Slack.
     */
    async download(
      fileId: string,
      { userId, maxBytes }: { userId: string; maxBytes: number },
    ): Promise<{ name: string; bytes: Buffer }> {
      const { file } = await client.files.info({ file: fileId }).catch((error: unknown) => {
        if (!/file_not_found|file_deleted/.test(String(error))) throw error
        throw new UserError('This file was deleted. Upload it again.')
      })
      if (file?.user !== userId && file?.user !== (await client.auth.test()).user_id)
        throw new UserError('Someone else uploaded this file. Upload it yourself.')
      if (file?.is_external || !file?.url_private)
        throw new UserError('This file isn’t stored in Slack. Upload it from your computer.')
      const address = checkFileUrl(file.url_private_download ?? file.url_private)
      const [unitBytes, unit] = maxBytes < 2 ** 20 ? [2 ** 10, 'KB'] : [2 ** 20, 'MB']
      if ((file.size ?? 0) > maxBytes)
        throw new UserError(
          `This file is too large. The maximum is ${Math.floor(maxBytes / unitBytes)} ${unit}.`,
        )
      const headers = { authorization: `Bearer ${token}`, 'accept-encoding': 'identity' }
      const bytes = await report('url_private', async () => {
        const { statusCode, body, headers: received } = await request(address, { dispatcher, headers })
        // Without the scope, Slack sends its sign-in page, or redirects to it. Undici doesn't follow redirects.
        const isPage =
          /^text\/html\b/i.test(String(received['content-type'])) && file.mimetype !== 'text/html'
        if (statusCode === 200 && !isPage) return Buffer.from(await body.arrayBuffer())
        await body.dump(MAX_DUMPED)
        throw new UserError('Couldn’t download the file from Slack. The app may lack the scope files:read.')
      })
      return { name: file.name ?? fileId, bytes }
    },
  }
}
