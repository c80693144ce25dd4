import { useRef, useState } from 'react'
import { usePage } from '../page.ts'
import { reachablePeople } from '../people.ts'
import { complete, findCommand, type Suggestion } from './completion.ts'
import { useDraft } from './drafts.ts'

/** The text in a message field, its caret, and its completion. */
export function useTyping(place: string) {
  const { snapshot } = usePage().state
  const [text, setText] = useDraft(place)
  const [caret, setCaret] = useState(text.length)
  const [active, setActive] = useState(0)
  const [closed, setClosed] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const completion = closed
    ? undefined
    : complete(text, caret, { ...snapshot, people: reachablePeople(snapshot) })

  const write = (next: string, at = next.length) => {
    setText(next)
    setCaret(at)
    setActive(0)
    setClosed(false)
  }

  const pick = ({ label }: Suggestion) => {
    if (!completion) return
    const head = `${text.slice(0, completion.from)}${label} `
    write(head + text.slice(completion.to).trimStart(), head.length)
    field.current?.focus()
  }

  /** Handles a key for the suggestions; true if it was one. */
  const onCompletionKey = (key: string): boolean => {
    const count = completion?.suggestions.length ?? 0
    const first = completion?.suggestions[active]
    if (!completion || !first) return false
    const isTyped = first.label === text.slice(completion.from, completion.to)
    if (key === 'ArrowDown') setActive((active + 1) % count)
    else if (key === 'ArrowUp') setActive((active + count - 1) % count)
    else if (key === 'Escape') setClosed(true)
    else if (key === 'Tab' || (key === 'Enter' && !isTyped)) pick(first)
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
