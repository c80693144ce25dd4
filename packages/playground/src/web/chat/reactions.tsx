import { useId, useMemo, useState } from 'react'
import { findEmoji, listEmoji } from '../../protocol/emoji.ts'
import type { Message } from '../../protocol/protocol.ts'
import { Button } from '../button.tsx'
import { Dialog } from '../dialog.tsx'
import { personName, useDirectory } from '../directory.ts'
import { useActions, useShowFailure } from '../page.ts'

const MAX_SHOWN = 48
const renderEmoji = (name: string): string => findEmoji(name) ?? `:${name}:`

/** Returns a function that adds the person's reaction to a message, or removes it. */
function useReact({ channel, ts, reactions = [] }: Message): (name: string) => void {
  const { client } = useActions()
  const { me } = useDirectory()
  const showFailure = useShowFailure()
  return (name) => {
    const isOwn = reactions.some((reaction) => reaction.name === name && reaction.users.includes(me.id))
    void client.react({ channel, ts, name, remove: isOwn }).then(showFailure)
  }
}

/** The reactions to a message. Clicking one adds or removes the person's own. */
export function Reactions({ message }: { message: Message }) {
  const directory = useDirectory()
  const react = useReact(message)
  if (!message.reactions?.length) return null
  return (
    <div className="reactions">
      {message.reactions.map(({ name, users }) => (
        <Button
          key={name}
          className="reaction"
          aria-pressed={users.includes(directory.me.id)}
          aria-label={`${name}, ${users.length}: ${users.map((id) => personName(directory, id) ?? id).join(', ')}`}
          onClick={() => react(name)}
        >
          {renderEmoji(name)} {users.length}
        </Button>
      ))}
    </div>
  )
}

/** The emoji picker, with a search by name. Enter picks the exact match, else the first match, else the name as typed. */
export function ReactionPicker({ message, onClose }: { message: Message; onClose: () => void }) {
  const titleId = useId()
  const react = useReact(message)
  const [typed, setTyped] = useState('')
  const query = typed.replaceAll(':', '').toLowerCase()
  const names = useMemo(
    () => [...listEmoji().keys()].filter((name) => name.includes(query)).slice(0, MAX_SHOWN),
    [query],
  )
  const pick = (name: string) => {
    react(name)
    onClose()
  }
  return (
    <Dialog className="picker" labelledBy={titleId} onCancel={onClose} onPressOutside={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          const name = listEmoji().has(query) ? query : (names[0] ?? query)
          if (name !== '') pick(name)
        }}
      >
        <h2 id={titleId}>Add a reaction</h2>
        <input
          className="field"
          aria-label="Emoji name"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
        <div className="reactions">
          {names.map((name) => (
            <Button key={name} className="reaction" aria-label={name} onClick={() => pick(name)}>
              {renderEmoji(name)}
            </Button>
          ))}
        </div>
      </form>
    </Dialog>
  )
}
