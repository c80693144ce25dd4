import { useLayoutEffect, useRef } from 'react'
import type { Message } from '../../protocol.ts'
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
  const log = useRef<HTMLDivElement>(null)
  const follows = useRef(true)
  useLayoutEffect(() => {
    const box = log.current
    if (!box) return
    const toEnd = () => {
      if (follows.current) box.scrollTop = box.scrollHeight
    }
    toEnd()
    const watched = new ResizeObserver(toEnd)
    watched.observe(box)
    for (const child of box.children) watched.observe(child)
    return () => watched.disconnect()
  })
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
