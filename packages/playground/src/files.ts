import { extname } from 'node:path'
import { createId, forgetOldest } from './ids.ts'
import { toJson } from './json.ts'
import type { Stored } from './messages.ts'
import { type Family, familyOf, type People } from './people.ts'
import type { Fields, FileInfo } from './protocol.ts'
import type { Store } from './store.ts'

/** Slack accepts 1 GB; the playground keeps files in memory and accepts this much. */
export const FILE_LIMIT_BYTES = 20 * 1024 * 1024
const KEPT = 200

/** Extension → media type and Slack's `filetype`. */
const KINDS: Record<string, [mimetype: string, filetype: string]> = {
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
}

export interface StoredFile {
  info: FileInfo
  bytes: Buffer | null
  createdMs: number
  channels: string[]
  /** The messages that it was shared with. */
  shares: { channel: string; ts: string; threadTs: string | null; user: string }[]
  /** The size that the app announced for its upload; null for a person's file. */
  declaredSize: number | null
  /** False between files.getUploadURLExternal and files.completeUploadExternal. */
  complete: boolean
}

export type Files = ReturnType<typeof createFiles>

function infoOf(name: string, user: string, size: number, altText: string): FileInfo {
  const [mimetype, filetype] = KINDS[extname(name).toLowerCase()] ?? ['application/octet-stream', 'binary']
  const id = createId('F')
  const href = `/_playground/files/${id}`
  return { id, name, title: name, mimetype, filetype, size, user, altText, href }
}

/** Where a file is shared, in public and private channels: channel → its messages. */
function sharesOf(shares: StoredFile['shares'], people: People): Fields {
  const found: Record<'public' | 'private', Record<string, Fields[]>> = { public: {}, private: {} }
  for (const { channel: id, ts, threadTs, user } of shares) {
    const channel = people.channel(id)
    if (!channel) continue
    const of = found[familyOf(channel) === 'channel' ? 'public' : 'private']
    const share: Fields = {
      ...{ ts, channel_name: channel.name, team_id: channel.teamId, share_user_id: user, source: 'UNKNOWN' },
      ...{ reply_users: [], reply_users_count: 0, reply_count: 0 },
      ...(threadTs !== null && { thread_ts: threadTs }),
    }
    of[id] = [...(of[id] ?? []), share]
  }
  return toJson(Object.fromEntries(Object.entries(found).filter(([, one]) => Object.keys(one).length > 0)))
}

/** Uploaded files, the last 200. */
export function createFiles(now: () => Date, url: () => string, store: Store, people: People) {
  const files = new Map(store.files().map((file): [string, StoredFile] => [file.info.id, file]))
  return {
    find: (id: string) => files.get(id),

    add(name: string, user: string, bytes: Buffer | null, altText = ''): StoredFile {
      const file = {
        info: infoOf(name, user, bytes?.length ?? 0, altText),
        bytes,
        createdMs: now().getTime(),
        channels: [],
        shares: [],
        declaredSize: null,
        complete: bytes !== null,
      }
      files.set(file.info.id, file)
      const oldest = forgetOldest(files, KEPT)
      if (oldest !== undefined) store.removeFile(oldest)
      store.saveFile(file)
      return file
    },

    all: (): StoredFile[] => [...files.values()],

    remove(id: string): void {
      files.delete(id)
      store.removeFile(id)
    },

    /** Records the message that contains a file. */
    share(id: string, { channel, ts, threadTs, user }: Stored): void {
      const file = files.get(id)
      if (!file) return
      file.shares.push({ channel, ts, threadTs, user })
      store.saveFile(file)
    },

    /** Saves a changed file. */
    save: (file: StoredFile): void => store.saveFile(file),

    clear: (): void => files.clear(),

    /** The file object of the Web API and of `file_input` values. */
    slackFile({ info, createdMs, channels, shares }: StoredFile, teamId: string): Fields {
      const download = `${url()}/files-pri/${teamId}-${info.id}`
      const inKind = (...kinds: Family[]) =>
        channels.filter((id) => kinds.includes(familyOf(people.channel(id) ?? { kind: 'channel' })))
      const open = inKind('channel')
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
        user_team: teamId,
        editable: false,
        size: info.size,
        mode: 'hosted',
        is_external: false,
        external_type: '',
        is_public: open.length > 0,
        public_url_shared: false,
        url_private: `${download}/${encodeURIComponent(info.name)}`,
        url_private_download: `${download}/download/${encodeURIComponent(info.name)}`,
        permalink: `${url()}/files/${info.user}/${info.id}`,
        ...(info.altText && { alt_txt: info.altText }),
        permalink_public: `${url()}/files-pub/${teamId}-${info.id}`,
        ...{ username: '', display_as_bot: false, is_starred: false, has_rich_preview: false },
        ...{ media_display_type: 'unknown', file_access: 'visible' },
        channels: open,
        groups: inKind('group', 'mpim'),
        ims: inKind('im'),
        ...(shares.length > 0 && { shares: sharesOf(shares, people), has_more_shares: false }),
      })
    },
  }
}
