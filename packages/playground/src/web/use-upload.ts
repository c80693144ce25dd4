import { useState } from 'react'
import type { FileInfo } from '../protocol/protocol.ts'
import { useActions } from './page.ts'

/** Returns a function that uploads files. It resolves to the uploaded files, and an error message for each that failed. */
export function useUpload() {
  const { client } = useActions()
  const [busy, setBusy] = useState(false)
  const upload = async (files: readonly File[]): Promise<{ uploaded: FileInfo[]; errors: string[] }> => {
    setBusy(true)
    const results = await Promise.all(files.map((file) => client.upload(file)))
    setBusy(false)
    return {
      uploaded: results.flatMap((result) => (result.ok ? [result.file] : [])),
      errors: results.flatMap((result) => (result.ok ? [] : [result.message])),
    }
  }
  return { busy, upload }
}

/** Returns the files chosen in a file field and clears the field, so that the same file can be chosen again. */
export function readAndClearFiles(input: HTMLInputElement): File[] {
  const files = [...(input.files ?? [])]
  input.value = ''
  return files
}

export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  return bytes < 1024 ** 2 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1024 ** 2).toFixed(1)} MB`
}
