/** Answers of a slow source, each asked for once at a time and kept for a while. */
export interface Fresh<T> {
  /** The kept answer under the key, or what `ask` gives. A failure is passed on and not kept. */
  get(key: string, ask: () => Promise<T>): Promise<T>
}

/** Keeps at most `kept` answers for `freshMs` each. */
export function createFresh<T>(options: { freshMs: number; kept: number; now: () => Date }): Fresh<T> {
  const { freshMs, kept, now } = options
  const answers = new Map<string, { at: number; answer: Promise<T> }>()
  return {
    get(key, ask) {
      const found = answers.get(key)
      const at = now().getTime()
      if (found && at - found.at < freshMs) return found.answer
      const entry = { at, answer: ask() }
      // Put last: the first entry is the oldest.
      answers.delete(key)
      answers.set(key, entry)
      if (answers.size > kept) answers.delete(answers.keys().next().value ?? '')
      entry.answer.catch(() => answers.get(key) === entry && answers.delete(key))
      return entry.answer
    },
  }
}
