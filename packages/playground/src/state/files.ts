import { extname } from 'node:path'
import { createId, deleteOldest } from '../protocol/ids.ts'
import type { Fields } from '../protocol/json.ts'
import type { FileInfo } from '../protocol/protocol.ts'
import type { People } from './people.ts'
import type { StoredFile } from './stored.ts'

/** Slack accepts 1 GB. The playground accepts less because it keeps files in memory. */
export const FILE_LIMIT_BYTES = 20 * 1024 * 1024
const MAX_FILES = 200

/** The media types by file extension. */
const MEDIA_TYPES: Record<string, string> = {
  '.csv': 'text/csv',
  '.json': 'application/json',
  '.txt': 'text/plain',
  '.pem': 'application/x-pem-file',
  '.csr': 'application/pkcs10',
  '.png': 'image/png',
  '.html': 'text/html',
}

export type Files = ReturnType<typeof createFiles>

function buildFileInfo(name: string, user: string, size: number, altText: string): FileInfo {
  const mimetype = MEDIA_TYPES[extname(name).toLowerCase()] ?? 'application/octet-stream'
  const id = createId('F')
  const href = `/_playground/files/${id}`
  return { id, name, title: name, mimetype, size, user, altText, href }
}

/** Keeps the last 200 uploaded files in memory. */
export function createFiles(url: () => string, people: People) {
  const files = new Map<string, StoredFile>()
  return {
    find: (id: string) => files.get(id),

    add(name: string, user: string, bytes: Buffer | null, altText = ''): StoredFile {
      const file: StoredFile = {
        info: buildFileInfo(name, user, bytes?.length ?? 0, altText),
        bytes,
        channels: [],
        declaredSize: null,
        complete: bytes !== null,
      }
      files.set(file.info.id, file)
      deleteOldest(files, MAX_FILES)
      return file
    },

    /** Records that a view's state contained a file, so that the app can read it. */
    recordReceipt(id: string, teamId: string): void {
      const file = files.get(id)
      if (!file) return
      file.receivedIn = [...new Set([...(file.receivedIn ?? []), teamId])]
    },

    clear: (): void => files.clear(),

    /** A file as in the Web API and in the values of `file_input` elements. */
    slackFile({ info }: StoredFile, teamId: string): Fields {
      const download = `${url()}/files-pri/${teamId}-${info.id}`
      return {
        id: info.id,
        name: info.name,
        title: info.title,
        mimetype: info.mimetype,
        user: info.user,
        user_team: people.find(info.user)?.teamId ?? teamId,
        size: info.size,
        is_external: false,
        url_private: `${download}/${encodeURIComponent(info.name)}`,
        url_private_download: `${download}/download/${encodeURIComponent(info.name)}`,
        ...(info.altText && { alt_txt: info.altText }),
      }
    },
  }
}
