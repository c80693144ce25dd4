import { useState } from 'react'
import type { FileInfo } from '../protocol.ts'
import { useActions } from './page.ts'

/** Uploads files as soon as they are chosen; returns those that arrived, and why others didn't. */
export function useUpload() {
  const { client } = useActions()
  const [busy, setBusy] = useState(false)
  const upload = async (chosen: readonly File[]): Promise<{ added: FileInfo[]; faults: string[] }> => {
    setBusy(true)
    const answers = await Promise.all(chosen.map((file) => client.upload(file)))
    setBusy(false)
    return {
      added: answers.flatMap((one) => (one.ok ? [one.file] : [])),
      faults: answers.flatMap((one) => (one.ok ? [] : [one.message])),
    }
  }
  return { busy, upload }
}

/** What was chosen in a file field, which is then emptied, so that the same file can be chosen again. */
export function takeFiles(input: HTMLInputElement): File[] {
  const chosen = [...(input.files ?? [])]
  input.value = ''
  return chosen
}

export function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  return bytes < 1024 ** 2 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1024 ** 2).toFixed(1)} MB`
}
