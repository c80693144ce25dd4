import { useState } from 'react'
import type { FileInfo } from '../../protocol/protocol.ts'
import { Chip } from '../button.tsx'
import { Icon } from '../icon.tsx'
import { useActions } from '../page.ts'
import { formatSize, readAndClearFiles, useUpload } from '../use-upload.ts'

const MAX_FILES = 10

export interface Attachments {
  files: readonly FileInfo[]
  busy: boolean
  /** Uploads files immediately. The message then contains only their IDs. */
  add: (files: readonly File[]) => Promise<void>
  remove: (id: string) => void
  clear: () => void
  /** Restores the files of a message that couldn't be sent. */
  restore: (files: readonly FileInfo[]) => void
}

export function useAttachments(): Attachments {
  const { dispatch } = useActions()
  const { busy, upload } = useUpload()
  const [files, setFiles] = useState<FileInfo[]>([])
  return {
    files,
    busy,
    add: async (newFiles) => {
      if (newFiles.length === 0) return
      const showNotice = (text: string) => dispatch({ type: 'notice', text, cause: null })
      if (files.length + newFiles.length > MAX_FILES)
        return showNotice(`A message can have at most ${MAX_FILES} files.`)
      const { uploaded, errors } = await upload(newFiles)
      setFiles((before) => [...before, ...uploaded])
      for (const error of errors) showNotice(error)
    },
    remove: (id) => setFiles((before) => before.filter((file) => file.id !== id)),
    clear: () => setFiles([]),
    restore: (unsentFiles) => setFiles((newFiles) => [...unsentFiles, ...newFiles].slice(0, MAX_FILES)),
  }
}

/** The files that will be sent with the message, each with a button to remove it. */
export function AttachmentList({ attachments }: { attachments: Attachments }) {
  const { files, busy, remove } = attachments
  if (files.length === 0 && !busy) return null
  return (
    <ul className="attachments" aria-label="Files to send">
      {files.map((file) => (
        <li key={file.id}>
          <Chip name={file.name} onRemove={() => remove(file.id)}>
            {file.name} · {formatSize(file.size)}
          </Chip>
        </li>
      ))}
      {busy && (
        <li>
          <span role="status">Uploading…</span>
        </li>
      )}
    </ul>
  )
}

export function AttachButton({ attachments }: { attachments: Attachments }) {
  return (
    <label className="attach" title="Attach files">
      <Icon name="attach" />
      <input
        type="file"
        multiple
        aria-label="Attach files"
        disabled={attachments.busy}
        onChange={(event) => void attachments.add(readAndClearFiles(event.currentTarget))}
      />
    </label>
  )
}
