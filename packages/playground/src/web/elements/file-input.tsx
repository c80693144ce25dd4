import { useState } from 'react'
import { FILES_AT_MOST, fileFault } from '../../pickable.ts'
import type { FileInfo } from '../../protocol.ts'
import { Chip } from '../button.tsx'
import { useActions } from '../page.ts'
import { asList } from '../values.ts'
import { controlAttributes, type Slot, useElement } from './slot.ts'

export function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  return bytes < 1024 ** 2 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1024 ** 2).toFixed(1)} MB`
}

/** Uploads as soon as a file is chosen; the form then holds the files' ids. */
export function FileInputElement({ slot }: { slot: Slot }) {
  const { client } = useActions()
  const { value, choose } = useElement(slot)
  const [files, setFiles] = useState<FileInfo[]>([])
  const [status, setStatus] = useState<{ busy: boolean; fault?: string }>({ busy: false })
  const { filetypes, max_files: max = FILES_AT_MOST } = slot.element
  const held = asList(value)

  const add = async (chosen: readonly File[]) => {
    const names = chosen.map(({ name }) => name)
    const fault = fileFault(names, held.length, slot.element)
    if (fault !== undefined) return setStatus({ busy: false, fault })
    setStatus({ busy: true })
    const answers = await Promise.all(chosen.map((file) => client.upload(file)))
    const added = answers.flatMap((answer) => (answer.ok ? [answer.file] : []))
    const refused = answers.find((answer) => !answer.ok)
    setFiles((known) => [...known, ...added])
    setStatus(refused && !refused.ok ? { busy: false, fault: refused.message } : { busy: false })
    if (added.length > 0) await choose([...held, ...added.map((file) => file.id)])
  }
  const drop = (id: string) => {
    const rest = held.filter((one) => one !== id)
    void choose(rest.length > 0 ? rest : null)
  }

  return (
    <div className="file-input">
      <input
        {...controlAttributes(slot)}
        type="file"
        className="field"
        multiple={max > 1}
        accept={filetypes?.map((type) => `.${type}`).join(',')}
        disabled={status.busy}
        onChange={(event) => {
          const chosen = [...(event.currentTarget.files ?? [])]
          event.currentTarget.value = ''
          void add(chosen)
        }}
      />
      {status.busy && <span role="status">Uploading…</span>}
      {status.fault !== undefined && <span role="alert">{status.fault}</span>}
      {held.map((id) => {
        const file = files.find((one) => one.id === id)
        return (
          <Chip key={id} name={file?.name ?? id} onRemove={() => drop(id)}>
            {file ? `${file.name} · ${size(file.size)}` : id}
          </Chip>
        )
      })}
    </div>
  )
}
