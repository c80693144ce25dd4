/** A recorded request to the API. */
export interface JournalEntry {
  method: string
  /** As requested, including the query. */
  path: string
  /** The exact request body. */
  text: string | null
  /** Null until the sandbox has responded. */
  status: number | null
  time: Date
  /** The kind of fault that was applied, if any. */
  fault?: string
}

export interface Journal {
  addEntry(method: string, path: string): JournalEntry
  /** Adds the body, and drops the oldest requests if the bodies take too much memory. */
  addBody(entry: JournalEntry, text: string): void
  clear(): void
  /** The entries as a JSON list, oldest first. In addition, each has `body`: the JSON in `text`, or `text` itself if it isn't JSON. */
  toJson(): string
}

const MAX_ENTRIES = 50_000
const MAX_CHARACTERS = 32 * 1024 * 1024

export function createJournal(): Journal {
  let entries: JournalEntry[] = []
  let characters = 0
  const trim = (): void => {
    if (entries.length <= MAX_ENTRIES && characters <= MAX_CHARACTERS) return
    const dropped = entries.splice(0, Math.ceil(entries.length / 2))
    characters -= dropped.reduce((sum, { text }) => sum + (text?.length ?? 0), 0)
  }
  return {
    addEntry(method, path) {
      const entry: JournalEntry = { method, path, text: null, status: null, time: new Date() }
      entries.push(entry)
      trim()
      return entry
    },
    addBody(entry, text) {
      if (text === '') return
      entry.text = text
      characters += text.length
      trim()
    },
    clear() {
      entries = []
      characters = 0
    },
    toJson: () => `[${entries.map(formatEntry).join(',')}]`,
  }
}

function formatEntry({ method, path, text, status, time, fault }: JournalEntry): string {
  const head = JSON.stringify({ method, path, text, status, time, ...(fault && { fault }) })
  return `${head.slice(0, -1)},"body":${toEmbeddableJson(text)}}`
}

/**
 * Converts a body to JSON that can be inserted into other JSON. A body that is JSON stays unchanged, because formatting it again could
 * overflow the stack or change a number. Any other body becomes a JSON string.
 */
export function toEmbeddableJson(text: string | null): string {
  if (text === null) return 'null'
  try {
    JSON.parse(text)
    return text
  } catch {
    return JSON.stringify(text)
  }
}
