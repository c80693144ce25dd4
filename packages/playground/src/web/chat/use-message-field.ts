import { useRef, useState } from 'react'
import { usePage } from '../page.ts'
import { reachablePeople } from '../people.ts'
import { findCommand, findCompletion, type Suggestion } from './completion.ts'
import { useDraft } from './drafts.ts'

/** The state of a message field: its text, caret, and suggestions. */
export function useMessageField(draftKey: string) {
  const { snapshot } = usePage().state
  const [text, setText] = useDraft(draftKey)
  const [caret, setCaret] = useState(text.length)
  const [activeIndex, setActiveIndex] = useState(0)
  const [isDismissed, setDismissed] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const completion = isDismissed
    ? undefined
    : findCompletion(text, caret, { ...snapshot, people: reachablePeople(snapshot) })

  const updateText = (next: string, caretAfter = next.length) => {
    setText(next)
    setCaret(caretAfter)
    setActiveIndex(0)
    setDismissed(false)
  }

  const applySuggestion = ({ label }: Suggestion) => {
    if (!completion) return
    const textBefore = `${text.slice(0, completion.from)}${label} `
    updateText(textBefore + text.slice(completion.to).trimStart(), textBefore.length)
    field.current?.focus()
  }

  /** Handles a key press in the list of suggestions, if it's open. Returns whether it handled the key. */
  const onCompletionKey = (key: string): boolean => {
    const count = completion?.suggestions.length ?? 0
    const selected = completion?.suggestions[activeIndex]
    if (!completion || !selected) return false
    const isFullyTyped = selected.label === text.slice(completion.from, completion.to)
    if (key === 'ArrowDown') setActiveIndex((activeIndex + 1) % count)
    else if (key === 'ArrowUp') setActiveIndex((activeIndex + count - 1) % count)
    else if (key === 'Escape') setDismissed(true)
    else if (key === 'Tab' || (key === 'Enter' && !isFullyTyped)) applySuggestion(selected)
    else return false
    return true
  }

  return {
    text,
    field,
    completion,
    activeIndex,
    command: findCommand(text, snapshot.commands),
    updateText,
    applySuggestion,
    onCompletionKey,
    setCaret,
    closeSuggestions: () => setDismissed(true),
  }
}
