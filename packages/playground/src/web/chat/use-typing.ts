import { useRef, useState } from 'react'
import { usePage } from '../page.ts'
import { reachablePeople } from '../people.ts'
import { findCommand, findCompletion, type Suggestion } from './completion.ts'
import { useDraft } from './drafts.ts'

/** The text in a message field, its caret, and its completion. */
export function useTyping(draftKey: string) {
  const { snapshot } = usePage().state
  const [text, setText] = useDraft(draftKey)
  const [caret, setCaret] = useState(text.length)
  const [active, setActive] = useState(0)
  const [closed, setClosed] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const completion = closed
    ? undefined
    : findCompletion(text, caret, { ...snapshot, people: reachablePeople(snapshot) })

  const write = (next: string, caretAfter = next.length) => {
    setText(next)
    setCaret(caretAfter)
    setActive(0)
    setClosed(false)
  }

  const pick = ({ label }: Suggestion) => {
    if (!completion) return
    const textBefore = `${text.slice(0, completion.from)}${label} `
    write(textBefore + text.slice(completion.to).trimStart(), textBefore.length)
    field.current?.focus()
  }

  /** Handles a key press for the suggestions. Returns whether it used the key. */
  const onCompletionKey = (key: string): boolean => {
    const count = completion?.suggestions.length ?? 0
    const selected = completion?.suggestions[active]
    if (!completion || !selected) return false
    const isTyped = selected.label === text.slice(completion.from, completion.to)
    if (key === 'ArrowDown') setActive((active + 1) % count)
    else if (key === 'ArrowUp') setActive((active + count - 1) % count)
    else if (key === 'Escape') setClosed(true)
    else if (key === 'Tab' || (key === 'Enter' && !isTyped)) pick(selected)
    else return false
    return true
  }

  return {
    text,
    field,
    completion,
    active,
    command: findCommand(text, snapshot.commands),
    write,
    pick,
    onCompletionKey,
    setCaret,
    close: () => setClosed(true),
  }
}
