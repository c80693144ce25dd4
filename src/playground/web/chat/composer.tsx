import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { Icon } from '../icon.tsx'
import { untold, usePage } from '../page.ts'
import { type Completion, commandOf, complete, readEntry, type Suggestion, withIds } from './completion.ts'

function Suggestions({
  id,
  completion,
  active,
  onPick,
}: {
  id: string
  completion: Completion
  active: number
  onPick: (suggestion: Suggestion) => void
}) {
  return (
    <div id={id} className="suggestions" role="listbox" aria-label="Suggestions">
      {completion.suggestions.map((suggestion, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are heard by the text field, which keeps the focus
        <div
          key={suggestion.key}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          className={index === active ? 'option active' : 'option'}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onPick(suggestion)}
        >
          <span className="suggestion-label">{suggestion.label}</span>
          {suggestion.hint && <span className="suggestion-hint">{suggestion.hint}</span>}
          <span className="menu-detail">{suggestion.detail}</span>
        </div>
      ))}
      <p className="suggestions-keys" aria-hidden="true">
        <kbd>↑</kbd> <kbd>↓</kbd> to choose · <kbd>Tab</kbd> or <kbd>Enter</kbd> to take · <kbd>Esc</kbd> to
        close
      </p>
    </div>
  )
}

/** Sends what was typed; false when it stays in the field, because it cannot be sent. */
function useSend(channel: string, threadTs: string | undefined) {
  const { state, client, dispatch } = usePage()
  const { commands } = state.snapshot
  const tell = (text: string | undefined) => {
    if (text !== undefined) dispatch({ type: 'notice', text, cause: null })
  }
  return (typed: string): boolean => {
    const entry = readEntry(typed, commands)
    switch (entry.kind) {
      case 'nothing':
        return false
      case 'unknown-command':
        tell(`There is no command ${entry.command} here. Type / to see those there are.`)
        return false
      case 'command':
        if (threadTs !== undefined) {
          tell(`Slack runs no slash commands in threads. Send ${entry.command} in the channel.`)
          return false
        }
        void client
          .command({ channel, command: entry.command, text: entry.text })
          .then((got) => tell(untold(got)))
        return true
      case 'message':
        void client
          .message({
            channel,
            text: withIds(entry.text, state.snapshot),
            ...(threadTs === undefined ? {} : { threadTs }),
          })
          .then((got) => tell(untold(got)))
        return true
    }
  }
}

/** The field at the foot of a conversation; in a thread it is called Reply. */
export function Composer({
  channel,
  threadTs,
  placeholder,
}: {
  channel: string
  threadTs?: string
  placeholder: string
}) {
  const { state } = usePage()
  const send = useSend(channel, threadTs)
  const [text, setText] = useState('')
  const [caret, setCaret] = useState(0)
  const [active, setActive] = useState(0)
  const [closed, setClosed] = useState(false)
  const [sent, setSent] = useState<string[]>([])
  const field = useRef<HTMLTextAreaElement>(null)
  const id = useId()
  const { snapshot } = state
  useEffect(() => field.current?.focus(), [])
  const completion = closed ? undefined : complete(text, caret, snapshot)
  const command = commandOf(text, snapshot.commands)

  const write = (next: string, at = next.length) => {
    setText(next)
    setCaret(at)
    setActive(0)
    setClosed(false)
  }
  const pick = ({ insert }: Suggestion) => {
    if (!completion) return
    const head = text.slice(0, completion.from) + insert
    write(head + text.slice(completion.to).trimStart(), head.length)
    field.current?.focus()
  }
  const submit = () => {
    if (!send(text)) return
    setSent([text, ...sent].slice(0, 20))
    write('')
  }
  const onCompletionKey = (key: string): boolean => {
    const count = completion?.suggestions.length ?? 0
    const suggestion = completion?.suggestions[active]
    if (!suggestion) return false
    if (key === 'ArrowDown') setActive((active + 1) % count)
    else if (key === 'ArrowUp') setActive((active + count - 1) % count)
    else if (key === 'Escape') setClosed(true)
    else if (
      key === 'Tab' ||
      (key === 'Enter' && suggestion.insert.trim() !== text.slice(completion?.from, completion?.to))
    )
      pick(suggestion)
    else return false
    return true
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const handled = () => {
      if (!event.shiftKey && onCompletionKey(event.key)) return true
      if (event.key === 'Enter' && !event.shiftKey) submit()
      else if (event.key === 'ArrowUp' && text === '' && sent[0] !== undefined) write(sent[0])
      else return false
      return true
    }
    if (handled()) event.preventDefault()
  }
  return (
    <div className="composer">
      {completion && <Suggestions id={id} completion={completion} active={active} onPick={pick} />}
      {!completion && command && (
        <p className="composer-hint" role="status">
          <strong>{command.command}</strong> {command.usageHint && <code>{command.usageHint}</code>}{' '}
          {command.description}
        </p>
      )}
      <div className="composer-box">
        <textarea
          ref={field}
          aria-label={threadTs === undefined ? 'Message' : 'Reply'}
          aria-autocomplete="list"
          aria-controls={completion ? id : undefined}
          aria-activedescendant={completion ? `${id}-${active}` : undefined}
          placeholder={placeholder}
          rows={Math.min(8, Math.max(1, text.split('\n').length))}
          value={text}
          onChange={(event) => write(event.currentTarget.value, event.currentTarget.selectionStart)}
          onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
          onKeyDown={onKey}
          onBlur={() => setClosed(true)}
        />
        <button
          type="button"
          className="send"
          aria-label="Send"
          disabled={text.trim() === ''}
          onClick={submit}
        >
          <Icon name="send" />
        </button>
      </div>
    </div>
  )
}
