import { useId, useMemo, useState } from 'react'
import type { Message } from '../../protocol.ts'
import { Button } from '../button.tsx'
import { Dialog } from '../dialog.tsx'
import { personName, useDirectory } from '../directory.ts'
import { useActions, useTell } from '../page.ts'
import { EMOJI, findEmoji } from '../text/emoji.ts'

const OFFERED = 48
const drawn = (name: string): string => findEmoji(name) ?? `:${name}:`

/** Adds a reaction to a message, or removes one's own. */
function useReact({ channel, ts, reactions = [] }: Message): (name: string) => void {
  const { client } = useActions()
  const { me } = useDirectory()
  const tell = useTell()
  return (name) => {
    const isOwn = reactions.some((one) => one.name === name && one.users.includes(me.id))
    void client.react({ channel, ts, name, remove: isOwn }).then(tell)
  }
}

/** The reactions to a message: pressing one adds it too, or removes it. */
export function Reactions({ message }: { message: Message }) {
  const directory = useDirectory()
  const react = useReact(message)
  if (!message.reactions?.length) return null
  return (
    <div className="reactions">
      {message.reactions.map(({ name, users }) => (
        <Button
          key={name}
          look="reaction"
          aria-pressed={users.includes(directory.me.id)}
          aria-label={`${name}, ${users.length}: ${users.map((id) => personName(directory, id) ?? id).join(', ')}`}
          onClick={() => react(name)}
        >
          {drawn(name)} {users.length}
        </Button>
      ))}
    </div>
  )
}

/** The emoji picker. Emoji are found by name, even if this page can't draw them. */
export function ReactionPicker({ message, onClose }: { message: Message; onClose: () => void }) {
  const title = useId()
  const react = useReact(message)
  const [typed, setTyped] = useState('')
  const wanted = typed.replaceAll(':', '').toLowerCase()
  const names = useMemo(
    () =>
      Object.keys(EMOJI)
        .filter((name) => name.includes(wanted))
        .slice(0, OFFERED),
    [wanted],
  )
  const take = (name: string) => {
    react(name)
    onClose()
  }
  return (
    <Dialog className="picker" labelledBy={title} onCancel={onClose} onPressOutside={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          const name = wanted in EMOJI ? wanted : (names[0] ?? wanted)
          if (name !== '') take(name)
        }}
      >
        <h2 id={title}>Add a reaction</h2>
        <input
          className="field"
          aria-label="Name of the emoji"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
        <div className="reactions">
          {names.map((name) => (
            <Button key={name} look="reaction" aria-label={name} onClick={() => take(name)}>
              {drawn(name)}
            </Button>
          ))}
        </div>
      </form>
    </Dialog>
  )
}
