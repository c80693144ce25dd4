import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import type { Message } from '../../protocol/protocol.ts'
import { Button } from '../button.tsx'
import { useDirectory } from '../directory.ts'
import { failureText, useActions } from '../page.ts'
import { reachablePeople } from '../people.ts'
import { toMentions } from './completion.ts'
import { toEditableText } from './editable-text.ts'

/** Edits the person's own message. Enter saves, and Escape cancels. If saving fails, the text stays in the field. */
export function MessageEditor({ message, onDone }: { message: Message; onDone: () => void }) {
  const { client } = useActions()
  const directory = useDirectory()
  const sources = { commands: [], people: reachablePeople(directory), channels: directory.channels }
  const [text, setText] = useState(() => toEditableText(message.text, directory))
  const [error, setError] = useState<string>()
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    const textarea = field.current
    textarea?.focus()
    textarea?.setSelectionRange(textarea.value.length, textarea.value.length)
  }, [])
  const save = async () => {
    const { channel, ts } = message
    const outcome = await client.edit({ channel, ts, text: toMentions(text, sources) })
    const failure = failureText(outcome)
    if (failure === undefined) onDone()
    else setError(failure)
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape') onDone()
    else if (event.key === 'Enter' && !event.shiftKey) void save()
    else return
    event.preventDefault()
  }
  return (
    <div className="message-editor">
      <textarea
        ref={field}
        className="field"
        aria-label="Edit message"
        rows={Math.min(12, text.split('\n').length + 1)}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKey}
      />
      {error !== undefined && (
        <p className="error" role="alert">
          {error}
        </p>
      )}
      <div className="dialog-buttons">
        <Button onClick={onDone}>Cancel</Button>
        <Button className="button small primary" onClick={() => void save()}>
          Save
        </Button>
      </div>
    </div>
  )
}
