import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import { Icon } from '../icon.tsx'
import { usePage } from '../page.ts'
import { peopleHere } from '../people.ts'
import { AttachButton, AttachmentList, useAttachments } from './attachments.tsx'
import { commandOf, complete, type Suggestion } from './completion.ts'
import { draftKey, restoreDraft, useDraft } from './drafts.ts'
import { Suggestions } from './suggestions.tsx'
import { useSend } from './use-send.ts'

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
  const { state, dispatch } = usePage()
  const send = useSend(channel, threadTs)
  const place = draftKey(state.snapshot.me.id, channel, threadTs)
  const [text, setText] = useDraft(place)
  const [caret, setCaret] = useState(text.length)
  const [active, setActive] = useState<number>()
  const [closed, setClosed] = useState(false)
  const [sent, setSent] = useState<string[]>([])
  const field = useRef<HTMLTextAreaElement>(null)
  const id = useId()
  const attachments = useAttachments()
  const { snapshot, draft } = state
  useEffect(() => field.current?.focus(), [])
  const completion = closed ? undefined : complete(text, caret, { ...snapshot, people: peopleHere(snapshot) })
  const chosen = active ?? (completion?.isEager ? 0 : -1)
  const command = commandOf(text, snapshot.commands)

  const write = (next: string, at = next.length) => {
    setText(next)
    setCaret(at)
    setActive(undefined)
    setClosed(false)
  }
  // Before the page is painted: whoever clicks and then presses Enter sends it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is written once, when it arrives
  useLayoutEffect(() => {
    if (!draft || draft.channel !== channel || threadTs !== undefined) return
    write(draft.text)
    field.current?.focus()
    dispatch({ type: 'draft', draft: null })
  }, [draft])
  const pick = ({ insert }: Suggestion) => {
    if (!completion) return
    const head = text.slice(0, completion.from) + insert
    write(head + text.slice(completion.to).trimStart(), head.length)
    field.current?.focus()
  }
  const submit = () => {
    if (attachments.busy) return
    const { files } = attachments
    const sending = send(
      text,
      files.map(({ id }) => id),
    )
    if (sending === 'stays') return
    setSent([text, ...sent].slice(0, 20))
    attachments.clear()
    write('')
    void sending.then((outcome) => {
      if (outcome === 'arrived') return
      restoreDraft(place, text)
      attachments.putBack(files)
    })
  }
  const onCompletionKey = (key: string): boolean => {
    const count = completion?.suggestions.length ?? 0
    const first = completion?.suggestions[Math.max(0, chosen)]
    if (!completion || !first) return false
    const isTyped = first.insert.trim() === text.slice(completion.from, completion.to)
    if (key === 'ArrowDown') setActive((chosen + 1) % count)
    else if (key === 'ArrowUp') setActive((Math.max(0, chosen) + count - 1) % count)
    else if (key === 'Escape') setClosed(true)
    else if (key === 'Tab' || (key === 'Enter' && chosen >= 0 && !isTyped)) pick(first)
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
      {completion && <Suggestions id={id} completion={completion} active={chosen} onPick={pick} />}
      {!completion && command && (
        <p className="composer-hint" role="status">
          <strong>{command.command}</strong> {command.usageHint && <code>{command.usageHint}</code>}{' '}
          {command.description}
        </p>
      )}
      <AttachmentList attachments={attachments} />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is one more way to attach; the button is for everyone */}
      <div
        className="composer-box"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault()
          void attachments.add([...event.dataTransfer.files])
        }}
      >
        <AttachButton attachments={attachments} />
        <textarea
          ref={field}
          aria-label={threadTs === undefined ? 'Message' : 'Reply'}
          aria-autocomplete="list"
          aria-controls={completion ? id : undefined}
          aria-activedescendant={completion && chosen >= 0 ? `${id}-${chosen}` : undefined}
          placeholder={placeholder}
          rows={Math.min(8, Math.max(1, text.split('\n').length))}
          value={text}
          onChange={(event) => write(event.currentTarget.value, event.currentTarget.selectionStart)}
          onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
          onKeyDown={onKey}
          onPaste={(event) => void attachments.add([...event.clipboardData.files])}
          onBlur={() => setClosed(true)}
        />
        <button
          type="button"
          className="send"
          aria-label="Send"
          disabled={attachments.busy || (text.trim() === '' && attachments.files.length === 0)}
          onClick={submit}
        >
          <Icon name="send" />
        </button>
      </div>
    </div>
  )
}
