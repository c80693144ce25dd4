import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useState } from 'react'
import type { ErrorResponse, Outcome } from '../../protocol/protocol.ts'
import { NO_RESPONSE } from '../api.ts'
import { Button } from '../button.tsx'
import { Icon } from '../icon.tsx'
import { usePage, useShowFailure } from '../page.ts'
import { reachablePeople } from '../people.ts'
import { READ_ONLY_SURFACE, SurfaceContext } from '../surface.ts'
import { AttachmentView } from './attachment-view.tsx'
import { AttachButton, AttachmentList, useAttachments } from './attachments.tsx'
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
  const post = (text: string, files: readonly string[]) =>
    waitForOutcome(
      client.message({
        channel,
        text: toMentions(text, { ...state.snapshot, people: reachablePeople(state.snapshot) }),
        ...(threadTs === undefined ? {} : { threadTs }),
        ...(files.length > 0 ? { files: [...files] } : {}),
      }),
    )
  return (typed: string, files: readonly string[] = []): SendResult => {
    const entry = parseEntry(typed, commands)
    if ([...typed].length > MAX_LENGTH)
      return rejectWithNotice(`A message can have at most ${MAX_LENGTH} characters.`)
    switch (entry.kind) {
      case 'nothing':
        return files.length === 0 ? 'not-sent' : post('', files)
      case 'unknown-command':
        return rejectWithNotice(`The app has no command ${entry.command}. Type / to see its commands.`)
      case 'command':
        if (files.length > 0)
          return rejectWithNotice(
            `Slack can’t send files with a command. Remove them, or type something before ${entry.command}.`,
          )
        if (threadTs !== undefined)
          return rejectWithNotice(
            `Slash commands don’t work in threads. Send ${entry.command} in the channel.`,
          )
        return waitForOutcome(client.command({ channel, command: entry.command, text: entry.text }))
      case 'message':
        return post(entry.text, files)
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
  const attachments = useAttachments()
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
    if (attachments.busy) return
    const { files } = attachments
    const result = send(
      text,
      files.map(({ id }) => id),
    )
    if (result === 'not-sent') return
    setSentTexts([text, ...sentTexts].slice(0, 20))
    attachments.clear()
    updateText('')
    void result.then((outcome) => {
      if (outcome === 'received') return
      restoreDraft(key, text)
      attachments.restore(files)
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
  return { messageField, attachments, submit, onKey }
}

const URL_PATTERN = /https?:\/\/[^\s<>|]+/g
/** How long to wait for a pause in typing before requesting previews. */
const PREVIEW_DELAY_MS = 400

/** The app's previews of the links in the typed text. */
function Previews({ text }: { text: string }) {
  const { state, client } = usePage()
  // A string, so that the effect below runs only when the URLs change.
  const urls = [...new Set(text.match(URL_PATTERN) ?? [])].join(' ')
  useEffect(() => {
    if (urls === '') return
    const timer = setTimeout(() => void client.links(urls.split(' ')), PREVIEW_DELAY_MS)
    return () => clearTimeout(timer)
  }, [client, urls])
  const draftUrls = urls.split(' ')
  const previews = (state.snapshot.previews ?? []).filter(({ from_url }) =>
    draftUrls.includes(String(from_url)),
  )
  if (previews.length === 0) return null
  return (
    <section className="previews" aria-label="Link previews">
      <SurfaceContext value={READ_ONLY_SURFACE}>
        {previews.map((preview) => (
          <AttachmentView key={String(preview.from_url)} attachment={preview} />
        ))}
      </SurfaceContext>
    </section>
  )
}

/** The message field at the bottom of a conversation or thread. */
export function Composer({ channel, threadTs, placeholder }: ComposerTarget & { placeholder: string }) {
  const { messageField, attachments, submit, onKey } = useComposer({
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
      <Previews text={text} />
      <AttachmentList attachments={attachments} />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the Attach button does the same for everyone who can't drop files */}
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
          aria-activedescendant={completion ? `${id}-${activeIndex}` : undefined}
          placeholder={placeholder}
          rows={Math.min(8, Math.max(1, text.split('\n').length))}
          value={text}
          onChange={(event) => updateText(event.currentTarget.value, event.currentTarget.selectionStart)}
          onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
          onKeyDown={onKey}
          onPaste={(event) => void attachments.add([...event.clipboardData.files])}
          onBlur={closeSuggestions}
        />
        <Button
          className="send"
          aria-label="Send"
          disabled={attachments.busy || (text.trim() === '' && attachments.files.length === 0)}
          onClick={submit}
        >
          <Icon name="send" />
        </Button>
      </div>
    </div>
  )
}
