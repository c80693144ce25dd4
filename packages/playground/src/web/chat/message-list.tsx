import { useLayoutEffect, useRef } from 'react'
import type { Message } from '../../protocol.ts'
import { useDirectory } from '../directory.ts'
import { MessageView } from './message.tsx'
import { continues, dayName, momentOf, startsDay } from './when.ts'

const NEAR_PX = 160

/** Messages, oldest first. Stays at the newest one unless the reader has scrolled away from it. */
export function MessageList({
  messages,
  label,
  threads,
}: {
  messages: readonly Message[]
  label: string
  threads: boolean
}) {
  const { me } = useDirectory()
  const log = useRef<HTMLDivElement>(null)
  const follows = useRef(true)
  const last = messages.at(-1)
  useLayoutEffect(() => {
    const box = log.current
    const lines = box?.firstElementChild
    if (!box || !lines) return
    const watched = new ResizeObserver(() => {
      if (follows.current) box.scrollTop = box.scrollHeight
    })
    watched.observe(box)
    watched.observe(lines)
    return () => watched.disconnect()
  }, [])
  useLayoutEffect(() => {
    // What one says oneself, and what only oneself is told, is always shown.
    if (last && (last.user === me.id || last.ephemeral)) follows.current = true
    if (log.current && follows.current) log.current.scrollTop = log.current.scrollHeight
  }, [last, me.id])
  return (
    <div
      ref={log}
      className="log"
      role="log"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        follows.current = scrollHeight - scrollTop - clientHeight < NEAR_PX
      }}
    >
      <div className="log-lines">
        {messages.map((message, index) => {
          const previous = messages[index - 1]
          const newDay = startsDay(message, previous)
          return (
            <div key={message.ts}>
              {newDay && <p className="day">{dayName(momentOf(message.ts))}</p>}
              <MessageView
                message={message}
                compact={!newDay && continues(message, previous)}
                threads={threads}
              />
            </div>
          )
        })}
      </div>
    </div>
  )
}
