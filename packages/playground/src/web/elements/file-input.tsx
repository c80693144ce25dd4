import { useState } from 'react'
import { findFileError, MAX_FILES } from '../../protocol/choice-limits.ts'
import type { FileInfo } from '../../protocol/protocol.ts'
import { Chip } from '../button.tsx'
import { formatSize, readAndClearFiles, useUpload } from '../use-upload.ts'
import { asList } from '../values.ts'
import { controlAttributes, type Slot, useElement } from './slot.ts'

/** Renders `file_input`. Files are uploaded as soon as they are chosen, and the input's value is the list of their IDs. */
export function FileInputElement({ slot }: { slot: Slot }) {
  const { value, choose } = useElement(slot)
  const { busy, upload } = useUpload()
  const [files, setFiles] = useState<FileInfo[]>([])
  const [error, setError] = useState<string>()
  const { filetypes, max_files: max = MAX_FILES } = slot.element
  const fileIds = asList(value)

  const add = async (newFiles: readonly File[]) => {
    const names = newFiles.map(({ name }) => name)
    const problem = findFileError(names, fileIds.length, slot.element)
    setError(problem)
    if (problem !== undefined) return
    const { uploaded, errors } = await upload(newFiles)
    setFiles((before) => [...before, ...uploaded])
    setError(errors[0])
    if (uploaded.length > 0) await choose([...fileIds, ...uploaded.map((file) => file.id)])
  }
  const remove = (id: string) => {
    const remainingIds = fileIds.filter((fileId) => fileId !== id)
    void choose(remainingIds.length > 0 ? remainingIds : null)
  }

  return (
    <div className="file-input">
      <input
        {...controlAttributes(slot)}
        type="file"
        className="field"
        multiple={max > 1}
        accept={filetypes?.map((type) => `.${type}`).join(',')}
        disabled={busy}
        onChange={(event) => void add(readAndClearFiles(event.currentTarget))}
      />
      {busy && <span role="status">Uploading…</span>}
      {error !== undefined && <span role="alert">{error}</span>}
      {fileIds.map((id) => {
        const file = files.find((uploadedFile) => uploadedFile.id === id)
        return (
          <Chip key={id} name={file?.name ?? id} onRemove={() => remove(id)}>
            {file ? `${file.name} · ${formatSize(file.size)}` : id}
          </Chip>
        )
      })}
    </div>
  )
}
