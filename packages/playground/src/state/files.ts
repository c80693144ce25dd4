import { extname } from 'node:path'
import { createId, deleteOldest } from '../protocol/ids.ts'
import type { Fields } from '../protocol/json.ts'
import { toJson } from '../protocol/json.ts'
import type { FileInfo } from '../protocol/protocol.ts'
import type { People } from './people.ts'
import type { StoredFile, StoredMessage } from './stored.ts'

/** Slack accepts 1 GB. The playground accepts less because it keeps files in memory. */
export const FILE_LIMIT_BYTES = 20 * 1024 * 1024
const MAX_FILES = 200

/**
 * The media type and Slack's `filetype` by file extension (https://docs.slack.dev/reference/objects/file-object lists the types;
 * read November 2026).
 */
const MEDIA_TYPES: Record<string, [mimetype: string, filetype: string]> = {
  '.csv': ['text/csv', 'csv'],
  '.json': ['application/json', 'json'],
  '.txt': ['text/plain', 'text'],
  '.pem': ['application/x-pem-file', 'text'],
  '.csr': ['application/pkcs10', 'text'],
  '.png': ['image/png', 'png'],
  '.jpg': ['image/jpeg', 'jpg'],
  '.jpeg': ['image/jpeg', 'jpg'],
  '.gif': ['image/gif', 'gif'],
  '.pdf': ['application/pdf', 'pdf'],
  '.zip': ['application/zip', 'zip'],
  '.gz': ['application/gzip', 'gzip'],
  '.md': ['text/plain', 'markdown'],
  '.log': ['text/plain', 'text'],
  '.yml': ['text/plain', 'yaml'],
  '.yaml': ['text/plain', 'yaml'],
  '.html': ['text/html', 'html'],
  '.xml': ['application/xml', 'xml'],
  '.svg': ['image/svg+xml', 'svg'],
  '.docx': ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
  '.xlsx': ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
  '.pptx': ['application/vnd.openxmlformats-officedocument.presentationml.presentation', 'pptx'],
  '.mp3': ['audio/mpeg', 'mp3'],
  '.mp4': ['video/mp4', 'mp4'],
}

export type Files = ReturnType<typeof createFiles>

function buildFileInfo(name: string, user: string, size: number, altText: string): FileInfo {
  const [mimetype, filetype] = MEDIA_TYPES[extname(name).toLowerCase()] ?? [
    'application/octet-stream',
    'binary',
  ]
  const id = createId('F')
  const href = `/_playground/files/${id}`
  return { id, name, title: name, mimetype, filetype, size, user, altText, href }
}

/** A file's `shares` in the Web API: the messages that contain it, grouped by public or private, then by channel. */
function shareFields(shares: StoredFile['shares'], people: People): Fields {
  const byVisibility: Record<'public' | 'private', Record<string, Fields[]>> = { public: {}, private: {} }
  for (const { channel: id, ts, threadTs, user } of shares) {
    const channel = people.channel(id)
    if (!channel) continue
    const byChannel = byVisibility[channel.kind === 'channel' ? 'public' : 'private']
    const share: Fields = {
      ts,
      channel_name: channel.name,
      team_id: channel.teamId,
      share_user_id: user,
      source: 'UNKNOWN',
      reply_users: [],
      reply_users_count: 0,
      reply_count: 0,
      ...(threadTs !== null && { thread_ts: threadTs }),
    }
    byChannel[id] = [...(byChannel[id] ?? []), share]
  }
  return toJson(
    Object.fromEntries(
      Object.entries(byVisibility).filter(([, byChannel]) => Object.keys(byChannel).length > 0),
    ),
  )
}

/** Keeps the last 200 uploaded files in memory. */
export function createFiles(now: () => Date, url: () => string, people: People) {
  const files = new Map<string, StoredFile>()
  return {
    find: (id: string) => files.get(id),

    add(name: string, user: string, bytes: Buffer | null, altText = ''): StoredFile {
      const file: StoredFile = {
        info: buildFileInfo(name, user, bytes?.length ?? 0, altText),
        bytes,
        createdMs: now().getTime(),
        channels: [],
        shares: [],
        declaredSize: null,
        complete: bytes !== null,
      }
      files.set(file.info.id, file)
      deleteOldest(files, MAX_FILES)
      return file
    },

    /** Records that a message contains a file. */
    recordShare(id: string, { channel, ts, threadTs, user }: StoredMessage): void {
      const file = files.get(id)
      if (!file) return
      file.shares.push({ channel, ts, threadTs, user })
    },

    /** Records that a view's state contained a file, so that the app can read it. */
    recordReceipt(id: string, teamId: string): void {
      const file = files.get(id)
      if (!file) return
      file.receivedIn = [...new Set([...(file.receivedIn ?? []), teamId])]
    },

    clear: (): void => files.clear(),

    /** A file as in the Web API and in the values of `file_input` elements. */
    slackFile({ info, createdMs, channels, shares }: StoredFile, teamId: string): Fields {
      const download = `${url()}/files-pri/${teamId}-${info.id}`
      const isDm = (id: string) => people.channel(id)?.kind === 'dm'
      const publicChannels = channels.filter((id) => !isDm(id))
      const created = Math.floor(createdMs / 1000)
      return toJson({
        id: info.id,
        created,
        timestamp: created,
        name: info.name,
        title: info.title,
        mimetype: info.mimetype,
        filetype: info.filetype,
        pretty_type: info.filetype.toUpperCase(),
        user: info.user,
        user_team: people.find(info.user)?.teamId ?? teamId,
        editable: false,
        size: info.size,
        mode: 'hosted',
        is_external: false,
        external_type: '',
        is_public: publicChannels.length > 0,
        public_url_shared: false,
        url_private: `${download}/${encodeURIComponent(info.name)}`,
        url_private_download: `${download}/download/${encodeURIComponent(info.name)}`,
        permalink: `${url()}/files/${info.user}/${info.id}`,
        ...(info.altText && { alt_txt: info.altText }),
        permalink_public: `${url()}/files-pub/${teamId}-${info.id}`,
        username: '',
        display_as_bot: false,
        is_starred: false,
        has_rich_preview: false,
        media_display_type: 'unknown',
        file_access: 'visible',
        channels: publicChannels,
        groups: [],
        ims: channels.filter(isDm),
        ...(shares.length > 0 && { shares: shareFields(shares, people), has_more_shares: false }),
      })
    },
  }
}
