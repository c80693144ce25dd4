/** One request of the interface, in the order of arrival. `status` stays null while there is no answer. */
export interface JournalEntry {
  method: string
  /** As it was asked for, the query included. */
  path: string
  text: string | null
  status: number | null
  time: Date
  /** The kind of the fault that was played on it, when there was one. */
  fault?: string
}

export interface Journal {
  begin(method: string, path: string): JournalEntry
  /** Adds the body, and forgets the oldest requests when the bodies outgrow their room. */
  receive(entry: JournalEntry, text: string): void
  clear(): void
  /** A JSON list: `method`, `path`, `body` (parsed where it is JSON), `text` (the body to the letter), `status`, `time`, `fault`. */
  toJson(): string
}

const MOST_ENTRIES = 50_000
const MOST_CHARACTERS = 32 * 1024 * 1024

export function createJournal(): Journal {
  let entries: JournalEntry[] = []
  let characters = 0
  const trim = (): void => {
    if (entries.length <= MOST_ENTRIES && characters <= MOST_CHARACTERS) return
    const dropped = entries.splice(0, Math.ceil(entries.length / 2))
    characters -= dropped.reduce((sum, { text }) => sum + (text?.length ?? 0), 0)
  }
  return {
    begin(method, path) {
      const entry: JournalEntry = { method, path, text: null, status: null, time: new Date() }
      entries.push(entry)
      trim()
      return entry
    },
    receive(entry, text) {
      if (text === '') return
      entry.text = text
      characters += text.length
      trim()
    },
    clear() {
      entries = []
      characters = 0
    },
    toJson: () => `[${entries.map(entryJson).join(',')}]`,
  }
}

function entryJson({ method, path, text, status, time, fault }: JournalEntry): string {
  const head = JSON.stringify({ method, path, text, status, time, ...(fault && { fault }) })
  return `${head.slice(0, -1)},"body":${embeddable(text)}}`
}

/** The text itself where it is JSON (written again it could overflow the stack, or change a number), else a JSON string. */
export function embeddable(text: string | null): string {
  if (text === null) return 'null'
  try {
    JSON.parse(text)
    return text
  } catch {
    return JSON.stringify(text)
  }
}
