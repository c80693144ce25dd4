import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import type { ErrorResponse, Outcome, SlashCommand } from '../../protocol/protocol.ts'
import { NO_RESPONSE } from '../api.ts'
import { Button } from '../button.tsx'
import { Icon } from '../icon.tsx'
import { usePage, useShowFailure } from '../page.ts'
import { findCommand, parseEntry, suggestCommands } from './completion.ts'

/**
 * `not-sent` if there is nothing to send or the text is invalid. Otherwise, a promise that resolves to whether the server received the
 * text.
 */
type SendResult = 'not-sent' | Promise<'received' | 'lost'>

/** Slack's clients don't send longer messages. */
const MAX_LENGTH = 40_000

/** Returns a function that sends the typed text as a message or a command. */
function useSend(channel: string, threadTs: string | undefined) {
  const { state, client, dispatch } = usePage()
  const { commands } = state.snapshot
  const showFailure = useShowFailure()
  const rejectWithNotice = (text: string): SendResult => {
    dispatch({ type: 'unsent', text })
    return 'not-sent'
  }
  /** Text that the server rejects still counts as received: a notice shows the reason, and the text isn't restored. */
  const waitForOutcome = async (posted: Promise<Outcome | ErrorResponse>): Promise<'received' | 'lost'> => {
    dispatch({ type: 'sending' })
    const outcome = await posted
    showFailure(outcome)
    return 'error' in outcome && outcome.error === NO_RESPONSE.error ? 'lost' : 'received'
  }
  return (typed: string): SendResult => {
    const entry = parseEntry(typed, commands)
    if ([...typed].length > MAX_LENGTH)
      return rejectWithNotice(`A message can have at most ${MAX_LENGTH} characters.`)
    switch (entry.kind) {
      case 'nothing':
        return 'not-sent'
      case 'unknown-command':
        return rejectWithNotice(`The app has no command ${entry.command}. Type / to see its commands.`)
      case 'command':
        if (threadTs !== undefined)
          return rejectWithNotice(
            `Slash commands don’t work in threads. Send ${entry.command} in the channel.`,
          )
        return waitForOutcome(client.command({ channel, command: entry.command, text: entry.text }))
      case 'message':
        return waitForOutcome(client.message({ channel, text: entry.text, ...(threadTs && { threadTs }) }))
    }
  }
}

/** The list of commands to choose from by keyboard or mouse. The text field keeps the focus. */
function Suggestions({
  id,
  commands,
  activeIndex,
  onPick,
}: {
  id: string
  commands: readonly SlashCommand[]
  activeIndex: number
  onPick: (command: SlashCommand) => void
}) {
  return (
    <div id={id} className="suggestions" role="listbox" aria-label="Suggestions">
      {commands.map((suggestion, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the text field keeps the focus and handles the keys
        <div
          key={suggestion.command}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === activeIndex}
          className={index === activeIndex ? 'option active' : 'option'}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onPick(suggestion)}
        >
          <span className="suggestion-label">{suggestion.command}</span>{' '}
          <span className="suggestion-hint">{suggestion.usageHint}</span>{' '}
          <span className="menu-detail">{suggestion.description}</span>
        </div>
      ))}
    </div>
  )
}

/** The message field at the bottom of a conversation or thread. */
export function Composer({
  channel,
  threadTs,
  placeholder,
}: {
  channel: string
  threadTs?: string
  placeholder: string
}) {
  const { state, dispatch } = usePage()
  const { draft, snapshot } = state
  const send = useSend(channel, threadTs)
  const field = useRef<HTMLTextAreaElement>(null)
  const id = useId()
  const [text, setText] = useState('')
  const [caret, setCaret] = useState(0)
  const [activeIndex, setActiveIndex] = useState(0)
  const [isDismissed, setDismissed] = useState(false)
  const suggestions = isDismissed ? [] : suggestCommands(text, caret, snapshot.commands)
  const command = suggestions.length > 0 ? undefined : findCommand(text, snapshot.commands)
  const updateText = (next: string, caretAfter = next.length) => {
    setText(next)
    setCaret(caretAfter)
    setActiveIndex(0)
    setDismissed(false)
  }
  const pick = (suggestion: SlashCommand) => {
    updateText(`${suggestion.command} ${text.slice(caret).trimStart()}`, suggestion.command.length + 1)
    field.current?.focus()
  }
  useEffect(() => field.current?.focus(), [])
  // A layout effect, so that the draft is already in the field if the person presses Enter immediately.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a draft is inserted once, when it arrives
  useLayoutEffect(() => {
    if (!draft || draft.channel !== channel || threadTs !== undefined) return
    updateText(draft.text)
    field.current?.focus()
    dispatch({ type: 'draft', draft: null })
  }, [draft])
  const submit = () => {
    const result = send(text)
    if (result === 'not-sent') return
    updateText('')
    void result.then((outcome) => {
      // Text that got lost comes back, ahead of anything that was typed since.
      if (outcome === 'lost') setText((since) => (since === '' ? text : `${text}\n${since}`))
    })
  }
  /** Handles a key in the list of commands, if it's open. Returns whether it handled the key. */
  const onSuggestionKey = (key: string): boolean => {
    const selected = suggestions[activeIndex]
    if (!selected) return false
    const step = key === 'ArrowDown' ? 1 : suggestions.length - 1
    if (key === 'ArrowDown' || key === 'ArrowUp') setActiveIndex((activeIndex + step) % suggestions.length)
    else if (key === 'Escape') setDismissed(true)
    else if (key === 'Tab' || (key === 'Enter' && selected.command !== text)) pick(selected)
    else return false
    return true
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.shiftKey) return
    if (onSuggestionKey(event.key)) event.preventDefault()
    else if (event.key === 'Enter') {
      event.preventDefault()
      submit()
    }
  }
  return (
    <div className="composer">
      {suggestions.length > 0 && (
        <Suggestions id={id} commands={suggestions} activeIndex={activeIndex} onPick={pick} />
      )}
      {command && (
        <p className="composer-hint soft" role="status">
          <strong>{command.command}</strong> <code>{command.usageHint}</code> {command.description}
        </p>
      )}
      <div className="composer-box">
        <textarea
          ref={field}
          aria-label={threadTs === undefined ? 'Message' : 'Reply'}
          aria-autocomplete="list"
          aria-controls={suggestions.length > 0 ? id : undefined}
          aria-activedescendant={suggestions.length > 0 ? `${id}-${activeIndex}` : undefined}
          placeholder={placeholder}
          rows={Math.min(8, Math.max(1, text.split('\n').length))}
          value={text}
          onChange={(event) => updateText(event.currentTarget.value, event.currentTarget.selectionStart)}
          onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
          onKeyDown={onKey}
          onBlur={() => setDismissed(true)}
        />
        <Button className="send" aria-label="Send" disabled={text.trim() === ''} onClick={submit}>
          <Icon name="send" />
        </Button>
      </div>
      <small className="composer-note soft">A local stand-in for Slack, not Slack itself.</small>
    </div>
  )
}
