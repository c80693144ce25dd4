import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useState } from 'react'
import type { ErrorResponse, Outcome } from '../../protocol/protocol.ts'
import { NO_RESPONSE } from '../api.ts'
import { Button } from '../button.tsx'
import { Icon } from '../icon.tsx'
import { usePage, useShowFailure } from '../page.ts'
import { reachablePeople } from '../people.ts'
import { parseEntry, toMentions } from './completion.ts'
import { draftKey, restoreDraft } from './drafts.ts'
import { Suggestions } from './suggestions.tsx'
import { useMessageField } from './use-message-field.ts'

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
  const post = (text: string) =>
    waitForOutcome(
      client.message({
        channel,
        text: toMentions(text, { ...state.snapshot, people: reachablePeople(state.snapshot) }),
        ...(threadTs === undefined ? {} : { threadTs }),
      }),
    )
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
        return post(entry.text)
    }
  }
}

interface ComposerTarget {
  channel: string
  threadTs?: string
}

/** The state and actions of the message field. */
function useComposer({ channel, threadTs }: ComposerTarget) {
  const { state, dispatch } = usePage()
  const send = useSend(channel, threadTs)
  const key = draftKey(state.snapshot.me.id, channel, threadTs)
  const messageField = useMessageField(key)
  const { text, field, updateText } = messageField
  const [sentTexts, setSentTexts] = useState<string[]>([])
  const { draft } = state
  useEffect(() => field.current?.focus(), [field])
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
    setSentTexts([text, ...sentTexts].slice(0, 20))
    updateText('')
    void result.then((outcome) => {
      if (outcome === 'lost') restoreDraft(key, text)
    })
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const handleKey = () => {
      if (!event.shiftKey && messageField.onCompletionKey(event.key)) return true
      if (event.key === 'Enter' && !event.shiftKey) submit()
      else if (event.key === 'ArrowUp' && text === '' && sentTexts[0] !== undefined) updateText(sentTexts[0])
      else return false
      return true
    }
    if (handleKey()) event.preventDefault()
  }
  return { messageField, submit, onKey }
}

/** The message field at the bottom of a conversation or thread. */
export function Composer({ channel, threadTs, placeholder }: ComposerTarget & { placeholder: string }) {
  const { messageField, submit, onKey } = useComposer({
    channel,
    ...(threadTs !== undefined && { threadTs }),
  })
  const {
    text,
    field,
    completion,
    activeIndex,
    command,
    updateText,
    applySuggestion,
    setCaret,
    closeSuggestions,
  } = messageField
  const id = useId()
  return (
    <div className="composer">
      {completion && (
        <Suggestions id={id} completion={completion} activeIndex={activeIndex} onPick={applySuggestion} />
      )}
      {!completion && command && (
        <p className="composer-hint soft" role="status">
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
          aria-activedescendant={completion ? `${id}-${activeIndex}` : undefined}
          placeholder={placeholder}
          rows={Math.min(8, Math.max(1, text.split('\n').length))}
          value={text}
          onChange={(event) => updateText(event.currentTarget.value, event.currentTarget.selectionStart)}
          onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
          onKeyDown={onKey}
          onBlur={closeSuggestions}
        />
        <Button className="send" aria-label="Send" disabled={text.trim() === ''} onClick={submit}>
          <Icon name="send" />
        </Button>
      </div>
      <small className="composer-note soft">A local stand-in for Slack, not Slack itself.</small>
    </div>
  )
}
